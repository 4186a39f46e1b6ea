package io.boxd.vmm;

import io.boxd.linux.PageBuffer;
import io.boxd.linux.PageRuns;
import java.time.Duration;
import java.util.List;

/**
 * One instant of a machine, held in memory: its own pages, its device state and its frozen disk.
 *
 * <p>Relative to the machine's base, whatever its generation, so children of children need no chain.
 * Any number of machines can be started from it until it is closed.
 */
final class Capture implements Instant, AutoCloseable {
    private final Base base;
    private final PageRuns runs;
    private final PageBuffer pages;
    private final byte[] deviceState;
    private final List<Layer> layers;
    private final Duration pause;
    private final PageBuffers buffers;
    private final LayerStore layerStore;

    Capture(
            Base base,
            PageRuns runs,
            PageBuffer pages,
            byte[] deviceState,
            List<Layer> layers,
            Duration pause,
            PageBuffers buffers,
            LayerStore layerStore) {
        this.base = base;
        this.runs = runs;
        this.pages = pages;
        this.deviceState = deviceState;
        this.layers = List.copyOf(layers);
        this.pause = pause;
        this.buffers = buffers;
        this.layerStore = layerStore;
        layerStore.retain(this.layers);
    }

    @Override
    public Base base() {
        return base;
    }

    @Override
    public PageRuns runs() {
        return runs;
    }

    @Override
    public PageBuffer pages() {
        return pages;
    }

    @Override
    public byte[] deviceState() {
        return deviceState;
    }

    @Override
    public List<Layer> layers() {
        return layers;
    }

    /** How long the source stood still. */
    Duration pause() {
        return pause;
    }

    @Override
    public void close() {
        buffers.giveBack(pages);
        layerStore.release(layers);
    }
}
