package io.boxd.vmm;

/**
 * A machine that the record has and that no longer runs: its memory is lost, its disk is not.
 *
 * @param why it could not be found running
 */
public record Remains(MachineRow machine, String why) {
    public Identity identity() {
        return machine.identity();
    }
}
