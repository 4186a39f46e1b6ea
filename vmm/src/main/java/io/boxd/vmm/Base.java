package io.boxd.vmm;

import io.boxd.guest.image.Image;
import io.boxd.linux.PageRuns;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A frozen machine that others start from: memory file, device state and disk layers, all immutable.
 *
 * <p>Guest memory of every machine on it is a private mapping of {@code memory}, so clean pages exist
 * once. A base without device state is blank: its machines boot from disk, with the image's kernel.
 *
 * @param origin of a base that was made from a machine; empty for that of an image
 */
public record Base(
        String id,
        Image image,
        Path memory,
        Optional<Path> deviceState,
        MachineSize size,
        Accelerator accelerator,
        QemuBundle bundle,
        List<Layer> layers,
        Optional<Origin> origin) {
    public Base {
        layers = List.copyOf(layers);
    }

    /** The base of an image that this one goes back to: what snapshots are relative to. */
    public Base root() {
        return origin.map(Origin::root).orElse(this);
    }

    /** The pages in which the memory differs from the root's. */
    PageRuns inherited() {
        return origin.map(Origin::inherited).orElseGet(PageRuns::none);
    }
}
