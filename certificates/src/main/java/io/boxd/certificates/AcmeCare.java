package io.boxd.certificates;

import io.boxd.certificates.AcmeCertificates.Task;
import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.trust.Credentials;
import java.security.cert.X509Certificate;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/** Sees to it that all certificates are there that others issue: asks for them, and notes how that went. */
final class AcmeCare {
    private static final System.Logger LOG = System.getLogger(AcmeCare.class.getName());

    private final AcmeCertificates certificates;
    private final AcmeAuthority authority;
    private final CertificateWitness witness;
    private final InstantSource clock;
    private final Runnable shelve;
    /** Of one conversation with the authority at a time. */
    private final ReentrantLock talking = new ReentrantLock();

    /**
     * The care of these.
     *
     * @param shelve called when others are to be shown
     */
    AcmeCare(
            AcmeCertificates certificates,
            AcmeAuthority authority,
            CertificateWitness witness,
            InstantSource clock,
            Runnable shelve) {
        this.certificates = certificates;
        this.authority = authority;
        this.witness = witness;
        this.clock = clock;
        this.shelve = shelve;
    }

    AcmeCertificates certificates() {
        return certificates;
    }

    /** Does all that is due. */
    void perform(Caretaker caretaker) throws InterruptedException {
        for (Task task : certificates.due(clock.instant())) {
            try {
                if (task.onlyAsk()) {
                    ask(task, caretaker);
                } else {
                    issue(task, caretaker);
                }
            } catch (IssuanceFailure e) {
                caretaker.keep(() -> failed(task, e));
            } catch (RuntimeException e) {
                LOG.log(System.Logger.Level.ERROR, "the certificate for " + task.name(), e);
                caretaker.keep(() -> failed(task, new IssuanceFailure(String.valueOf(e.getMessage()))));
            }
        }
    }

    private void failed(Task task, IssuanceFailure failure) {
        witness.failed(task.names(), failure.reason(), certificates.failed(task.names(), failure, clock.instant()));
    }

    private void issue(Task task, Caretaker caretaker) throws IssuanceFailure, InterruptedException {
        Optional<X509Certificate> replaced = task.present().map(Credentials::certificate);
        Credentials fresh = talk(() -> authority.issue(task.names(), task.proof(), replaced));
        caretaker.keep(() -> {
            if (certificates.done(task.names(), fresh, clock.instant())) {
                shelve.run();
                X509Certificate certificate = fresh.certificate();
                witness.issued(
                        task.names(),
                        certificate.getIssuerX500Principal().getName(),
                        certificate.getNotAfter().toInstant());
            }
        });
    }

    private void ask(Task task, Caretaker caretaker) throws InterruptedException {
        Optional<Window> window = Optional.empty();
        try {
            X509Certificate present = task.present().orElseThrow().certificate();
            window = talk(() -> authority.renewal(present));
        } catch (IssuanceFailure e) {
            LOG.log(System.Logger.Level.INFO, "when to renew " + task.name() + " was not told: " + e.reason());
        }
        Optional<Window> told = window;
        caretaker.keep(() -> certificates.answered(task.names(), told, clock.instant()));
    }

    /** Asks for another one for this name as soon as possible. */
    void renew(String name) {
        certificates.renew(group(name), clock.instant());
    }

    /** Has the one for this name revoked, and asks for another. */
    void revoke(String name) throws InterruptedException {
        List<String> names = group(name);
        Credentials revoked = certificates
                .issued(names)
                .orElseThrow(() -> new BoxdException(
                        ErrorCode.WRONG_STATE, "there is no certificate for " + name + " that could be revoked"));
        try {
            talk(() -> {
                authority.revoke(revoked);
                return revoked;
            });
        } catch (IssuanceFailure e) {
            throw new BoxdException(ErrorCode.UNAVAILABLE, "it was not revoked: " + e.reason(), e);
        }
        certificates.drop(names, clock.instant());
        shelve.run();
        witness.revoked(names);
    }

    private List<String> group(String name) {
        return certificates
                .named(name.toLowerCase(Locale.ROOT))
                .orElseThrow(() -> new BoxdException(
                        ErrorCode.NOT_FOUND,
                        "there is no certificate for " + name,
                        "boxd certificate list shows them.",
                        null));
    }

    /** What may go wrong on the way. */
    private interface Conversation<T> {
        T hold() throws IssuanceFailure, InterruptedException;
    }

    private <T> T talk(Conversation<T> conversation) throws IssuanceFailure, InterruptedException {
        talking.lockInterruptibly();
        try {
            return conversation.hold();
        } finally {
            talking.unlock();
        }
    }
}
