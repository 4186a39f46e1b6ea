package io.boxd.server;

import io.boxd.inside.InsideServer;
import io.boxd.trust.Authority;
import io.boxd.trust.Credentials;
import io.boxd.trust.Subject;
import io.boxd.trust.Trust;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import javax.net.ssl.SSLContext;

/** The authority that says which processes belong to this instance; it certifies nothing else. */
final class InsideCertificates {
    private static final Path FOLDER = Path.of("trust", "inside");
    /** What clients accept at most; servers do not run that long. */
    static final Duration VALIDITY = Duration.ofDays(397);

    private final Authority authority;
    private final Roles roles;

    InsideCertificates(ServerConfig config) {
        this.authority = Authority.open(config.home().resolve(FOLDER), "inside boxd at " + config.home(), List.of());
        this.roles = config.roles();
    }

    /** What control shows doors, made anew each time that it starts, and by which it knows them. */
    SSLContext control() {
        Subject subject = new Subject("control", List.of(), List.of(roles.insideBind()), VALIDITY);
        return Trust.mutual(authority.issue(subject), authority.certificate());
    }

    /** What doors show control. */
    Credentials doors(Set<String> doors) {
        return authority.issue(Subject.named(InsideServer.nameOf(doors), VALIDITY));
    }
}
