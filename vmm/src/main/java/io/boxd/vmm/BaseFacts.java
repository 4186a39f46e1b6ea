package io.boxd.vmm;

import io.boxd.guest.image.Image;
import java.util.List;

/**
 * What a base's folder says about it; its files are beside this under fixed names.
 *
 * @param root the base that it was made from, or its own id
 * @param blank whether its machines boot from disk
 * @param diskLayer the name of the layer that booting the image wrote
 * @param layers of all of its disk, lowest first
 * @param parts with their hashes; none for a base that can be made again
 * @param bootId of the host when it was written, for a base that is not made to outlast that
 */
record BaseFacts(
        String id,
        String root,
        boolean blank,
        ImageFacts image,
        MachineSize size,
        Accelerator accelerator,
        BundleFacts bundle,
        String diskLayer,
        List<String> layers,
        List<Part> parts,
        String bootId) {
    BaseFacts {
        layers = List.copyOf(layers);
        parts = List.copyOf(parts);
    }

    /** An image without its files. */
    record ImageFacts(
            String name,
            String key,
            long diskBytes,
            List<String> kernelArguments,
            List<String> settleCommand,
            String defaultUser,
            Image.Hashes hashes) {
        ImageFacts {
            kernelArguments = List.copyOf(kernelArguments);
            settleCommand = List.copyOf(settleCommand);
        }

        static ImageFacts of(Image image) {
            return new ImageFacts(
                    image.name(),
                    image.key(),
                    image.diskBytes(),
                    image.kernelArguments(),
                    image.settleCommand(),
                    image.defaultUser(),
                    image.hashes());
        }
    }

    /** A QEMU bundle without its place. */
    record BundleFacts(String key, int major, int minor) {
        static BundleFacts of(QemuBundle bundle) {
            return new BundleFacts(bundle.key(), bundle.major(), bundle.minor());
        }
    }
}
