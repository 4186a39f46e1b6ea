package io.boxd.guest.image;

import java.nio.file.Path;
import java.util.List;

/**
 * A built image: read-only files a machine boots from, and how to boot and await it.
 *
 * @param key changes whenever anything that went into the image changed
 * @param kernel an ELF kernel with a PVH entry where possible (no decompression at boot), else a bzImage
 * @param disk a sparse raw ext4 file system without partitions, to be the backing of writable layers
 * @param kernelArguments what the image needs; the engine adds what depends on its host (such as the TSC rate)
 * @param settleCommand run as root through the agent; ends when the guest has finished starting
 * @param defaultUser whom commands run as unless told otherwise
 * @param hashes of the files, as they were built
 */
public record Image(
        String name,
        String key,
        Path kernel,
        Path initrd,
        Path disk,
        long diskBytes,
        List<String> kernelArguments,
        List<String> settleCommand,
        String defaultUser,
        Hashes hashes) {
    /** SHA-256 of each file, in hexadecimal. */
    public record Hashes(String kernel, String initrd, String disk) {}

    public Image {
        kernelArguments = List.copyOf(kernelArguments);
        settleCommand = List.copyOf(settleCommand);
    }
}
