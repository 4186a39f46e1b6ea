package io.boxd.vmm;

/**
 * A machine that the record has and that no longer runs: its memory is lost, its disk is not.
 *
 * @param why it does not run
 * @param standby whether it was in standby when it was last seen
 */
public record Remains(MachineRow machine, String why, boolean standby) {
    public Identity identity() {
        return machine.identity();
    }
}
