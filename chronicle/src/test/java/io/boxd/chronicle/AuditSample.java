package io.boxd.chronicle;

import io.boxd.common.Deadline;
import io.boxd.linux.Seal;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Audits for tests: how they are opened, and deeds to fill them with. */
final class AuditSample {
    static final Audit.Rhythm QUICK = new Audit.Rhythm(Duration.ofMillis(5), 16, 64, Duration.ofMillis(200), 2000);

    private AuditSample() {}

    static Seal seal(Path home) {
        return Seal.open(home.resolve("audit.key"));
    }

    static Path folder(Path home) {
        return home.resolve("audit");
    }

    static Audit open(Path home) {
        return Audit.open(folder(home), seal(home), QUICK);
    }

    /** About everything that was ever written down. */
    static AuditQuestion question(Optional<Instant> since, Optional<String> box, Optional<String> verb, int most) {
        return new AuditQuestion(Optional.empty(), since, box, verb, most);
    }

    static Deadline soon() {
        return Deadline.inSeconds(30);
    }

    static Deed deed(String verb, String box) {
        return new Deed(
                Instant.now(),
                "local",
                Optional.empty(),
                "http",
                "127.0.0.1",
                Optional.of("rq_1"),
                verb,
                Optional.of("bx_" + box),
                Optional.of(box),
                Optional.empty(),
                Optional.empty(),
                Deed.OK,
                7);
    }

    /** Looks at an audit that nobody writes. */
    static Verification verify(Path home) {
        return new AuditVerifier(folder(home), seal(home), AuditVerifier.Check.all()).verify(true, soon());
    }
}
