package io.boxd.certificates;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.trust.Credentials;
import io.boxd.trust.Keys;
import java.net.URL;
import java.security.KeyPair;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.shredzone.acme4j.Certificate;
import org.shredzone.acme4j.Login;
import org.shredzone.acme4j.Order;
import org.shredzone.acme4j.OrderBuilder;
import org.shredzone.acme4j.Problem;
import org.shredzone.acme4j.RenewalInfo;
import org.shredzone.acme4j.RevocationReason;
import org.shredzone.acme4j.Session;
import org.shredzone.acme4j.Status;
import org.shredzone.acme4j.connector.Resource;
import org.shredzone.acme4j.exception.AcmeException;
import org.shredzone.acme4j.exception.AcmeNetworkException;
import org.shredzone.acme4j.exception.AcmeRateLimitedException;
import org.shredzone.acme4j.exception.AcmeServerException;
import org.shredzone.acme4j.exception.AcmeUserActionRequiredException;

/** An authority that certifies for everybody who proves that a name is theirs. Not for several threads. */
final class AcmeAuthority {
    private static final Duration MOST = Duration.ofMinutes(5);
    private static final String REPLACED = "urn:ietf:params:acme:error:alreadyReplaced";

    private final AcmeConfig config;
    private final AcmeAccount account;
    private final DnsProofs dns;
    private final HttpProofs http;
    private final AcmeWaiting waiting = new AcmeWaiting();
    private @Nullable Login login;

    AcmeAuthority(AcmeConfig config, AcmeAccount account, DnsProofs dns, HttpProofs http) {
        this.config = config;
        this.account = account;
        this.dns = dns;
        this.http = http;
    }

    /** What may go wrong on the way. */
    private interface Conversation<T> {
        T talk(Login login) throws AcmeException, InterruptedException, IssuanceFailure;
    }

    /**
     * A new key, certified for these names.
     *
     * @param replaced what is renewed by that
     */
    Credentials issue(List<String> names, Proof proof, Optional<X509Certificate> replaced)
            throws IssuanceFailure, InterruptedException {
        return with(known -> {
            Deadline deadline = Deadline.in(MOST);
            Order order = order(known, names, replaced);
            try (AcmeOrder proving = new AcmeOrder(order, proof, dns, http, waiting)) {
                proving.prove(deadline);
            }
            require(order, waiting.untilDecided(order, deadline), Status.READY);
            KeyPair key = Keys.fresh();
            order.execute(key);
            require(order, waiting.untilDecided(order, deadline), Status.VALID);
            Certificate certificate = order.getCertificate();
            return new Credentials(key.getPrivate(), certificate.getCertificateChain());
        });
    }

    private static Order order(Login login, List<String> names, Optional<X509Certificate> replaced)
            throws AcmeException {
        OrderBuilder builder = login.newOrder().domains(names);
        if (replaced.isEmpty() || tellsOfRenewal(login).isEmpty()) {
            return builder.create();
        }
        try {
            return builder.replaces(replaced.get()).create();
        } catch (AcmeServerException e) {
            if (!e.getType().toString().equals(REPLACED)) {
                throw e;
            }
            // An order of which we lost the end, in a server that was killed meanwhile.
            return login.newOrder().domains(names).create();
        }
    }

    private static Optional<URL> tellsOfRenewal(Login login) throws AcmeException {
        return login.getSession().resourceUrlOptional(Resource.RENEWAL_INFO);
    }

    private static void require(Order order, Status status, Status wanted) throws IssuanceFailure {
        if (status != wanted && status != Status.VALID) {
            throw new IssuanceFailure(
                    "the authority left the order " + status.name().toLowerCase(Locale.ROOT) + ": "
                            + order.getError().flatMap(Problem::getDetail).orElse("it did not say why"));
        }
    }

    /** When it wants this certificate to be renewed; none if it does not say. */
    Optional<Window> renewal(X509Certificate certificate) throws IssuanceFailure, InterruptedException {
        return with(known -> {
            if (tellsOfRenewal(known).isEmpty()) {
                return Optional.empty();
            }
            RenewalInfo info = known.bindRenewalInfo(certificate);
            return Optional.of(new Window(info.getSuggestedWindowStart(), info.getSuggestedWindowEnd()));
        });
    }

    /** Says to everybody that others may have the key of these; signed with that key, which proves it. */
    void revoke(Credentials revoked) throws IssuanceFailure, InterruptedException {
        with(known -> {
            KeyPair key = new KeyPair(revoked.certificate().getPublicKey(), revoked.key());
            Certificate.revoke(known.getSession(), key, revoked.certificate(), RevocationReason.KEY_COMPROMISE);
            return true;
        });
    }

    private <T> T with(Conversation<T> conversation) throws IssuanceFailure, InterruptedException {
        try {
            Login known = login;
            if (known == null) {
                Session session = new Session(config.directory(), new AcmeProvider(config.believed()));
                session.networkSettings().setTimeout(AcmeProvider.PATIENCE);
                known = account.login(session);
                login = known;
            }
            return conversation.talk(known);
        } catch (AcmeException e) {
            login = null; // whatever was wrong with it, the next try begins anew
            throw failure(e);
        } catch (BoxdException e) {
            throw new IssuanceFailure(String.valueOf(e.getMessage()), Optional.empty(), e);
        }
    }

    private IssuanceFailure failure(AcmeException cause) {
        String where = config.directory().getHost();
        return switch (cause) {
            case AcmeRateLimitedException limited ->
                new IssuanceFailure(
                        where + " issues no more for now: " + limited.getMessage(), limited.getRetryAfter(), limited);
            case AcmeUserActionRequiredException action ->
                new IssuanceFailure(
                        where + " wants somebody to look at " + action.getInstance() + ": " + action.getMessage(),
                        Optional.empty(),
                        action);
            case AcmeNetworkException network ->
                new IssuanceFailure(
                        where + " cannot be reached: "
                                + Objects.requireNonNullElse(network.getCause(), network)
                                        .getMessage(),
                        Optional.empty(),
                        network);
            default -> new IssuanceFailure(where + " says: " + cause.getMessage(), Optional.empty(), cause);
        };
    }
}
