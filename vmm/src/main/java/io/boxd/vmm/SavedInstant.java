package io.boxd.vmm;

import io.boxd.linux.PageBuffer;
import io.boxd.linux.PageRuns;
import java.util.List;

/** A snapshot that was found whole, ready to start machines from; its memory is mapped until it is closed. */
final class SavedInstant implements Instant, AutoCloseable {
    private final Base base;
    private final PageRuns runs;
    private final PageBuffer pages;
    private final byte[] deviceState;
    private final List<Layer> layers;
    private final LayerStore store;

    SavedInstant(Base base, PageRuns runs, PageBuffer pages, byte[] deviceState, List<Layer> layers, LayerStore store) {
        this.base = base;
        this.runs = runs;
        this.pages = pages;
        this.deviceState = deviceState;
        this.layers = List.copyOf(layers);
        this.store = store;
        store.retain(this.layers);
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

    @Override
    public void close() {
        pages.close();
        store.release(layers);
    }
}
