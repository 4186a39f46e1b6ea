package io.boxd.certificates;

import io.boxd.trust.Authority;
import io.boxd.trust.Credentials;
import io.boxd.trust.Subject;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What the instance's own authority certifies, made when it is needed and kept nowhere: it takes a millisecond. Not for
 * several threads.
 */
final class OwnCertificates {
    static final String LOCALHOST = "localhost";
    private static final Duration VALIDITY = Duration.ofDays(90);
    /** More groups of names than a server has boxes; without one, the usual certificate is shown. */
    private static final int MOST = 4096;

    private final Authority authority;
    private final Coverage coverage;
    private final List<InetAddress> addresses;
    private final Map<List<String>, Credentials> issued = new LinkedHashMap<>();

    OwnCertificates(Authority authority, String domain, List<InetAddress> addresses) {
        this.authority = authority;
        this.coverage = Coverage.own(domain);
        this.addresses = addresses;
    }

    /** For the domain, and for this machine by whatever name or address it has. */
    Credentials usual(Instant now) {
        return issued.computeIfAbsent(coverage.ofDomain(), names -> {
            List<String> all = new ArrayList<>(names);
            all.add(LOCALHOST);
            return authority.issue(new Subject(coverage.domain(), all, addresses, VALIDITY), now);
        });
    }

    /** Sees to it that there is one for this host; whether one was made. */
    boolean need(String host, Instant now) {
        Optional<List<String>> names = coverage.of(host);
        if (names.isEmpty() || issued.containsKey(names.get()) || issued.size() >= MOST) {
            return false;
        }
        issued.put(names.get(), make(names.get(), now));
        return true;
    }

    boolean forget(String host) {
        boolean one = issued.remove(List.of(host)) != null;
        return issued.remove(List.of("*." + host)) != null || one;
    }

    private Credentials make(List<String> names, Instant now) {
        return authority.issue(new Subject(names.getFirst(), names, List.of(), VALIDITY), now);
    }

    /** Makes those anew whose time has come; whether there were any. */
    boolean renew(Instant now) {
        List<List<String>> due = issued.entrySet().stream()
                .filter(entry -> !Renewal.usual(entry.getValue().certificate()).isAfter(now))
                .map(Map.Entry::getKey)
                .toList();
        for (List<String> names : due) {
            if (names.equals(coverage.ofDomain())) {
                issued.remove(names);
                usual(now);
            } else {
                issued.put(names, make(names, now));
            }
        }
        return !due.isEmpty();
    }

    /** When the next is due. */
    Instant due() {
        return issued.values().stream()
                .map(credentials -> Renewal.usual(credentials.certificate()))
                .min(Instant::compareTo)
                .orElse(Instant.MAX);
    }

    Map<List<String>, Credentials> all() {
        return issued;
    }
}
