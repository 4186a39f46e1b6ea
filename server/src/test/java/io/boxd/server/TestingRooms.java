package io.boxd.server;

import io.boxd.common.Deadline;
import io.boxd.control.Images;
import io.boxd.control.TestingBoxes;
import io.boxd.control.TestingImages;
import io.boxd.vmm.Accelerator;
import io.boxd.vmm.ProbeResult;
import io.boxd.worker.BoxWitness;
import io.boxd.worker.Boxes;

/** Rooms without machines; their boxes have a real agent. */
final class TestingRooms implements Rooms {
    private final TestingBoxes boxes = new TestingBoxes();
    private boolean closed;

    TestingBoxes testingBoxes() {
        return boxes;
    }

    boolean isClosed() {
        return closed;
    }

    @Override
    public ProbeResult accelerator(Deadline deadline) {
        return new ProbeResult(Accelerator.TCG, "nobody tried", false);
    }

    @Override
    public Boxes boxes(ProbeResult accelerator, BoxWitness witness, Deadline deadline) {
        return boxes;
    }

    @Override
    public Images images() {
        return new TestingImages();
    }

    @Override
    public void close() {
        closed = true;
    }
}
