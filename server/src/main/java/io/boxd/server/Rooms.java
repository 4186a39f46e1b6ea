package io.boxd.server;

import io.boxd.accounts.AccountRecord;
import io.boxd.common.Deadline;
import io.boxd.control.Images;
import io.boxd.control.RequestRecord;
import io.boxd.vmm.ProbeResult;
import io.boxd.worker.Admission;
import io.boxd.worker.BoxWitness;
import io.boxd.worker.Boxes;

/** The rooms below the doors, opened one after the other. */
interface Rooms {
    /** Finds out what machines can run with here. */
    ProbeResult accelerator(Deadline deadline);

    /** Opens what is decided here, and with it the accounts. */
    AccountRecord accounts(Deadline deadline);

    /** The requests that may be repeated, after the accounts are open. */
    RequestRecord requests();

    /** Who is behind this instance, to be its first user. */
    HostUser founder();

    /** Opens the boxes, which go on without noticing; the witness hears of what happens to them. */
    Boxes boxes(ProbeResult accelerator, Admission admission, BoxWitness witness, Deadline deadline);

    Images images();

    /** Closes what lies below the boxes, after they are closed. */
    void close();
}
