package io.boxd.certificates;

import io.boxd.certificates.Kept.Standing;
import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.linux.FileOwner;
import io.boxd.trust.Authority;
import io.boxd.trust.Credentials;
import io.boxd.trust.Trust;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import javax.net.ssl.SSLContext;

/**
 * The certificates of an instance: made for names before anybody asks for them, renewed before they end.
 *
 * <p>What the instance's own authority issues is there at once. What others issue comes later and then takes its place;
 * nothing ever waits for that but one thread here.
 */
public final class Certificates implements AutoCloseable {
    private final InstantSource clock;
    private final Authority authority;
    private final String domain;
    private final OwnCertificates own;
    private final Optional<AcmeCare> others;
    private final Caretaker caretaker;
    /** Of the own ones and of what is on the shelf; never held while somebody is asked. */
    private final ReentrantLock lock = new ReentrantLock();

    private volatile Shelf shelf;

    private Certificates(
            CertificatesConfig config,
            Authority authority,
            DnsProofs dns,
            HttpProofs http,
            CertificateWitness witness,
            InstantSource clock) {
        this.clock = clock;
        this.authority = authority;
        this.domain = config.domain();
        this.own = new OwnCertificates(authority, config.domain(), config.addresses());
        this.shelf = Shelf.of(own.usual(clock.instant()));
        this.others = config.acme().map(acme -> {
            FileOwner.folder(config.folder());
            Kept kept = new Kept(config.folder());
            AcmeAccount account = new AcmeAccount(acme, config.folder().resolve("account.key"));
            return new AcmeCare(
                    new AcmeCertificates(acme, config.domain(), kept, new SecureRandom(), clock.instant()),
                    new AcmeAuthority(acme, account, dns, http),
                    witness,
                    clock,
                    this::shelve);
        });
        this.caretaker = new Caretaker(clock, new Due());
        shelve();
    }

    /**
     * From now on there is a certificate for the domain; others come as they are needed, after {@link #begin}.
     *
     * @param authority the instance's own
     * @param dns where proofs are shown that are looked for in DNS
     * @param http where proofs are shown that are looked for at the names themselves
     */
    public static Certificates open(
            CertificatesConfig config,
            Authority authority,
            DnsProofs dns,
            HttpProofs http,
            CertificateWitness witness,
            InstantSource clock) {
        return new Certificates(config, authority, dns, http, witness, clock);
    }

    /** The doors are open at which proofs are looked for: from now on others are asked, and all is renewed. */
    public void begin() {
        caretaker.begin();
    }

    /** What doors show to those who come with TLS: for each name its certificate, the newest at each handshake. */
    public SSLContext context() {
        return Trust.showing(new ShownByName(() -> shelf));
    }

    /** The instance's own authority, for clients to believe. */
    public X509Certificate authority() {
        return authority.certificate();
    }

    /** What it can certify, and names below; nothing else. */
    public List<String> authorityNames() {
        return List.of(domain, OwnCertificates.LOCALHOST);
    }

    /** A door answers for this host, or will; returns when there is a certificate, if our own authority may make it. */
    public void need(String host) {
        String name = host.toLowerCase(Locale.ROOT);
        change(now -> own.need(name, now));
        others.ifPresent(care -> {
            care.certificates().need(name, clock.instant());
            caretaker.wake();
        });
    }

    /** Nobody answers for this host any more, nor for those below it. */
    public void forget(String host) {
        String name = host.toLowerCase(Locale.ROOT);
        boolean dropped = others.isPresent() && others.get().certificates().forget(name);
        change(_ -> own.forget(name) || dropped);
    }

    /** Changes the own ones, and what is shown if that is another by then. */
    private void change(Predicate<Instant> work) {
        lock.lock();
        try {
            if (work.test(clock.instant())) {
                putOnShelf();
            }
        } finally {
            lock.unlock();
        }
    }

    private void shelve() {
        change(_ -> true);
    }

    private void putOnShelf() {
        Instant now = clock.instant();
        Map<String, Credentials> all = new HashMap<>();
        own.all().forEach((names, shown) -> names.forEach(name -> all.put(name, shown)));
        others.ifPresent(care ->
                care.certificates().all(now).forEach((names, shown) -> names.forEach(name -> all.put(name, shown))));
        shelf = new Shelf(own.usual(now), all);
    }

    /** How it stands with all that others are asked for; with our own if nobody is. */
    public List<CertificateFacts> facts() {
        List<CertificateFacts> facts = new ArrayList<>();
        if (others.isPresent()) {
            others.get().certificates().standings().forEach((names, standing) -> facts.add(facts(names, standing)));
        } else {
            lock.lock();
            try {
                own.all()
                        .forEach((names, shown) -> facts.add(CertificateFacts.of(
                                names, shown.certificate(), Renewal.usual(shown.certificate()), "", 0)));
            } finally {
                lock.unlock();
            }
        }
        facts.sort(Comparator.comparing(one -> one.names().getFirst()));
        return facts;
    }

    private CertificateFacts facts(List<String> names, Standing standing) {
        Credentials shown = shelf.find(names.getFirst());
        return CertificateFacts.of(names, shown.certificate(), standing.due(), standing.reason(), standing.failures());
    }

    /** Asks for another one for this name as soon as possible. */
    public void renew(String name) {
        requireOthers().renew(name);
        caretaker.wake();
    }

    /** Tells everybody that the one for this name is not to be believed any more, and asks for another. */
    public void revoke(String name) throws InterruptedException {
        requireOthers().revoke(name);
        caretaker.wake();
    }

    private AcmeCare requireOthers() {
        return others.orElseThrow(() -> new BoxdException(
                ErrorCode.WRONG_STATE,
                "all certificates are of this instance's own authority",
                "They are made anew at each start, and renewed in time.",
                null));
    }

    /** Looks again at what is due; for whoever has moved the clock. */
    void wake() {
        caretaker.wake();
    }

    /** What the caretaker does. */
    private final class Due implements Caretaker.Work {
        @Override
        public Instant next() {
            Instant other = others.map(care -> care.certificates().next()).orElse(Instant.MAX);
            lock.lock();
            try {
                return other.isBefore(own.due()) ? other : own.due();
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void perform() throws InterruptedException {
            change(own::renew);
            if (others.isPresent()) {
                others.get().perform(caretaker);
            }
        }
    }

    @Override
    public void close() {
        caretaker.close();
    }
}
