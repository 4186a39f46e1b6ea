package io.boxd.vmm;

import java.util.List;

/**
 * What must be remembered of a machine to find it again.
 *
 * @param id of its cell
 * @param base that its memory is a mapping of
 * @param pid of its QEMU
 * @param startTicks tells that process from a later one with the same pid
 * @param uid that its cell belongs to
 * @param uplink that it is plugged into, or nothing
 * @param layers frozen ones below its top, lowest first
 */
public record MachineRow(
        String id,
        Identity identity,
        String base,
        int pid,
        long startTicks,
        int uid,
        String uplink,
        List<String> layers) {
    public MachineRow {
        layers = List.copyOf(layers);
    }

    MachineRow on(String otherBase) {
        return new MachineRow(id, identity, otherBase, pid, startTicks, uid, uplink, layers);
    }

    MachineRow with(List<String> otherLayers) {
        return new MachineRow(id, identity, base, pid, startTicks, uid, uplink, otherLayers);
    }
}
