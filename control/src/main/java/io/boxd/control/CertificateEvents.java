package io.boxd.control;

import io.boxd.certificates.CertificateWitness;
import io.boxd.chronicle.Event;
import io.boxd.chronicle.Feed;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Tells operators what becomes of certificates: in the log, and as events. */
public final class CertificateEvents implements CertificateWitness {
    private static final String ISSUED = "certificate_issued";
    private static final String FAILED = "certificate_failed";
    private static final String REVOKED = "certificate_revoked";
    static final Set<String> KINDS = Set.of(ISSUED, FAILED, REVOKED);

    private static final System.Logger LOG = System.getLogger(CertificateEvents.class.getName());

    private final Feed feed;

    public CertificateEvents(Feed feed) {
        this.feed = feed;
    }

    @Override
    public void issued(List<String> names, String issuer, Instant until) {
        LOG.log(System.Logger.Level.INFO, "{0} has certified {1} until {2}", issuer, names, until);
        publish(ISSUED, names, "issued by " + issuer, Map.of("until", until.toString()));
    }

    @Override
    public void failed(List<String> names, String reason, Instant tryAgain) {
        LOG.log(System.Logger.Level.WARNING, "no certificate for {0}, next try at {1}: {2}", names, tryAgain, reason);
        publish(
                FAILED,
                names,
                reason,
                Map.of("next_try_at", tryAgain.truncatedTo(ChronoUnit.SECONDS).toString()));
    }

    @Override
    public void revoked(List<String> names) {
        LOG.log(System.Logger.Level.INFO, "the certificate for {0} was revoked", names);
        publish(REVOKED, names, "somebody asked for it", Map.of());
    }

    private void publish(String kind, List<String> names, String cause, Map<String, Object> details) {
        feed.publish(new Event.Draft(
                Instant.now().truncatedTo(ChronoUnit.MILLIS),
                kind,
                Optional.empty(),
                Optional.of(names.getFirst()),
                Optional.empty(),
                Optional.empty(),
                cause,
                Optional.empty(),
                details));
    }
}
