package io.boxd.server;

import io.boxd.accounts.AccountRecord;
import io.boxd.accounts.TestingAccounts;
import io.boxd.common.Deadline;
import io.boxd.control.Images;
import io.boxd.control.RequestRecord;
import io.boxd.control.TestingBoxes;
import io.boxd.control.TestingImages;
import io.boxd.control.TestingRequests;
import io.boxd.vmm.Accelerator;
import io.boxd.vmm.ProbeResult;
import io.boxd.worker.Admission;
import io.boxd.worker.BoxWitness;
import io.boxd.worker.Boxes;

/** Rooms without machines; their boxes have a real agent. */
final class TestingRooms implements Rooms {
    private final TestingBoxes boxes = new TestingBoxes();
    private final TestingAccounts accounts = TestingAccounts.nobody();
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
    public Boxes boxes(ProbeResult accelerator, Admission admission, BoxWitness witness, Deadline deadline) {
        return boxes;
    }

    /** Everybody else is in this test's memory, too. */
    @Override
    public AccountRecord accounts(Deadline deadline) {
        return accounts;
    }

    @Override
    public RequestRecord requests() {
        return new TestingRequests();
    }

    @Override
    public HostUser founder() {
        return MachineRooms.somebody();
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
