package io.boxd.vmm;

import java.util.List;

/**
 * What a snapshot consists of and what it needs to run.
 *
 * @param format of the files; a later one is refused
 * @param base that the memory is relative to
 * @param baseParts the base's own files
 * @param accelerator the device state of one means nothing to another
 * @param bundle the QEMU that saved it, and the only one to load it
 * @param layers of the disk, lowest first, beyond those of the base
 * @param parts memory and device state
 */
record Manifest(
        int format,
        String id,
        Identity identity,
        String base,
        List<Part> baseParts,
        Accelerator accelerator,
        String cpuName,
        long tscKilohertz,
        int devices,
        String bundle,
        List<String> diskLayers,
        List<Part> layers,
        List<Part> parts) {
    static final int FORMAT = 1;

    Manifest {
        baseParts = List.copyOf(baseParts);
        diskLayers = List.copyOf(diskLayers);
        layers = List.copyOf(layers);
        parts = List.copyOf(parts);
    }
}
