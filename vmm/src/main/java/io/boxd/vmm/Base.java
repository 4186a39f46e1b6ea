package io.boxd.vmm;

import io.boxd.guest.image.Image;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A frozen machine that others start from: memory file, device state and disk layers, all immutable.
 *
 * <p>Guest memory of every machine on it is a private mapping of {@code memory}, so clean pages exist
 * once. A base without device state is blank: its machines boot from disk, with the image's kernel.
 */
public record Base(
        String id,
        Image image,
        Path memory,
        Optional<Path> deviceState,
        MachineSize size,
        Accelerator accelerator,
        QemuBundle bundle,
        List<Layer> layers) {
    public Base {
        layers = List.copyOf(layers);
    }
}
