package io.boxd.certificates;

import io.boxd.common.Deadline;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.shredzone.acme4j.Authorization;
import org.shredzone.acme4j.Order;
import org.shredzone.acme4j.Problem;
import org.shredzone.acme4j.Status;
import org.shredzone.acme4j.challenge.Challenge;
import org.shredzone.acme4j.challenge.Dns01Challenge;
import org.shredzone.acme4j.challenge.Http01Challenge;
import org.shredzone.acme4j.exception.AcmeException;

/** Proves that all names of one order are ours; takes back what it has shown for that when it is closed. */
final class AcmeOrder implements AutoCloseable {
    private final Order order;
    private final Proof proof;
    private final DnsProofs dns;
    private final HttpProofs http;
    private final AcmeWaiting waiting;
    private final List<Runnable> shown = new ArrayList<>();

    AcmeOrder(Order order, Proof proof, DnsProofs dns, HttpProofs http, AcmeWaiting waiting) {
        this.order = order;
        this.proof = proof;
        this.dns = dns;
        this.http = http;
        this.waiting = waiting;
    }

    void prove(Deadline deadline) throws AcmeException, InterruptedException, IssuanceFailure {
        List<Challenge> challenges = new ArrayList<>();
        List<Authorization> open = new ArrayList<>();
        for (Authorization authorization : order.getAuthorizations()) {
            if (authorization.getStatus() == Status.PENDING) {
                challenges.add(show(authorization));
                open.add(authorization);
            } else if (authorization.getStatus() != Status.VALID) {
                throw new IssuanceFailure("the authority has refused "
                        + authorization.getIdentifier().getDomain() + " before it looked");
            }
        }
        for (Challenge challenge : challenges) {
            challenge.trigger();
        }
        for (int i = 0; i < open.size(); i++) {
            if (waiting.untilDecided(open.get(i), deadline) != Status.VALID) {
                throw refused(open.get(i), challenges.get(i));
            }
        }
    }

    private Challenge show(Authorization authorization) throws IssuanceFailure {
        String host = authorization.getIdentifier().getDomain();
        return switch (proof) {
            case DNS -> {
                Dns01Challenge challenge = authorization
                        .findChallenge(Dns01Challenge.class)
                        .orElseThrow(() -> new IssuanceFailure("the authority takes no proof of " + host + " by DNS"));
                String text = challenge.getDigest();
                shown.add(() -> dns.remove(host, text));
                dns.show(host, text);
                yield challenge;
            }
            case HTTP -> {
                Http01Challenge challenge = authorization
                        .findChallenge(Http01Challenge.class)
                        .orElseThrow(() -> new IssuanceFailure("the authority takes no proof of " + host
                                + " by HTTP; wildcards can only be proved by DNS (acme_proof)"));
                String token = challenge.getToken();
                shown.add(() -> http.remove(token));
                http.show(token, challenge.getAuthorization());
                yield challenge;
            }
        };
    }

    private IssuanceFailure refused(Authorization authorization, Challenge challenge) throws AcmeException {
        challenge.fetch();
        String host = authorization.getIdentifier().getDomain();
        Optional<Problem> problem = challenge.getError();
        String said = problem.flatMap(Problem::getDetail).orElse("it did not say why");
        String remedy = switch (proof) {
            case DNS ->
                "Does the parent zone point here for this domain (boxd doctor), and is port 53 of UDP and TCP open?";
            case HTTP -> "Does the name lead here, and is port 80 open to everybody?";
        };
        return new IssuanceFailure("the authority could not see the proof of " + host + ": " + said + ". " + remedy);
    }

    @Override
    public void close() {
        shown.forEach(Runnable::run);
    }
}
