package io.boxd.ledger;

import java.nio.file.Path;
import java.util.UUID;

/** Where Ratis keeps the log of this host, and what is in there. */
record LogFolder(Path root) {
    /** The group is the instance's; what tells instances apart is the authority that its members trust. */
    static final UUID GROUP = UUID.fromString("b0fd0000-0000-4000-8000-000000000001");

    /** This host, as a member of the group. */
    static final String MEMBER = "local";

    Path group() {
        return root.resolve(GROUP.toString());
    }

    Path current() {
        return group().resolve("current");
    }

    Path metadata() {
        return current().resolve("raft-meta");
    }

    Path configuration() {
        return current().resolve("raft-meta.conf");
    }

    /** Deletes finished files with nothing after this entry. */
    void purge(long index) {
        for (Segment segment : Segment.in(current())) {
            if (segment.end().filter(end -> end <= index).isPresent()) {
                segment.delete();
            }
        }
    }
}
