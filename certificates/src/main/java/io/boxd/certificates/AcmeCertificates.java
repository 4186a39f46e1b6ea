package io.boxd.certificates;

import io.boxd.certificates.Kept.Standing;
import io.boxd.trust.Credentials;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * The certificates that an authority for everybody issues: which are needed, which there are, and what is next for
 * each. Its own lock is held only to look and to note, never while anybody is asked.
 */
final class AcmeCertificates {
    private final String directory;
    private final Coverage coverage;
    private final Kept kept;
    private final RandomGenerator random;
    private final Set<List<String>> needed = new HashSet<>();
    private final Map<List<String>, Standing> standings = new HashMap<>();
    private final Map<List<String>, Credentials> issued = new HashMap<>();
    /** When an authority was last asked whether something should be renewed early. */
    private final Map<List<String>, Instant> asked = new HashMap<>();

    AcmeCertificates(AcmeConfig config, String domain, Kept kept, RandomGenerator random, Instant now) {
        this.directory = config.directory().toString();
        this.coverage = Coverage.acme(domain, config.proof());
        this.kept = kept;
        this.random = random;
        for (Standing standing : kept.standings()) {
            boolean same = standing.directory().equals(directory);
            standings.put(standing.names(), same ? standing : fresh(standing.names(), now));
            kept.credentials(standing.names()).ifPresent(found -> issued.put(standing.names(), found));
        }
        need(coverage.domain(), now);
    }

    private Standing fresh(List<String> names, Instant now) {
        return new Standing(names, directory, now.toString(), 0, "");
    }

    /** Which names, how they are proved, and what is to be done. */
    record Task(List<String> names, Proof proof, Optional<Credentials> present, boolean onlyAsk) {
        /** By which people know it. */
        String name() {
            return names.getFirst();
        }
    }

    synchronized void need(String host, Instant now) {
        List<String> names = coverage.of(host).orElseThrow();
        if (needed.add(names)) {
            standings.putIfAbsent(names, fresh(names, now));
        }
    }

    synchronized boolean forget(String host) {
        boolean itself = forget(List.of(host));
        return forget(List.of("*." + host)) || itself;
    }

    private boolean forget(List<String> names) {
        if (names.equals(coverage.ofDomain()) || !needed.remove(names)) {
            return false;
        }
        standings.remove(names);
        asked.remove(names);
        issued.remove(names);
        kept.forget(names);
        return true;
    }

    /** What is to be done now. */
    synchronized List<Task> due(Instant now) {
        List<Task> tasks = new ArrayList<>();
        for (List<String> names : needed) {
            Standing standing = standings.getOrDefault(names, fresh(names, now));
            if (!standing.due().isAfter(now)) {
                tasks.add(task(names, false));
            } else if (!askAt(names).isAfter(now)) {
                tasks.add(task(names, true));
            }
        }
        return tasks;
    }

    private Task task(List<String> names, boolean onlyAsk) {
        return new Task(names, proof(names), Optional.ofNullable(issued.get(names)), onlyAsk);
    }

    /** Only our own server answers for the domain; other names lead here in no other way than by HTTP. */
    private Proof proof(List<String> names) {
        return coverage.wildcards() && (names.getFirst() + ".").endsWith(coverage.domain() + ".")
                ? Proof.DNS
                : Proof.HTTP;
    }

    /** There is nothing to be asked about what there is not, or what is waiting for another try. */
    private Instant askAt(List<String> names) {
        Standing standing = standings.get(names);
        return !issued.containsKey(names) || standing == null || standing.failures() > 0
                ? Instant.MAX
                : asked.getOrDefault(names, Instant.MIN);
    }

    /** When there is something to be done. */
    synchronized Instant next() {
        Instant next = Instant.MAX;
        for (List<String> names : needed) {
            Standing standing = standings.get(names);
            Instant due = standing == null ? Instant.MIN : standing.due();
            Instant sooner = due.isBefore(askAt(names)) ? due : askAt(names);
            next = sooner.isBefore(next) ? sooner : next;
        }
        return next;
    }

    /**
     * Nobody may need it any more by now; then it is dropped. Whatever the clock and the authority say, another one is
     * not asked for at once: one of the two could be wrong, and would be so again.
     */
    synchronized boolean done(List<String> names, Credentials fresh, Instant now) {
        if (!needed.contains(names)) {
            return false;
        }
        Instant soonest = now.plus(Renewal.ASK_AGAIN);
        Instant usual = Renewal.usual(fresh.certificate());
        Instant renewAt = usual.isBefore(soonest) ? soonest : usual;
        kept.keep(names, fresh);
        issued.put(names, fresh);
        asked.put(names, soonest);
        note(new Standing(names, directory, renewAt.toString(), 0, ""));
        return true;
    }

    private void note(Standing standing) {
        kept.keep(standing);
        standings.put(standing.names(), standing);
    }

    /** Returns when it is tried again. */
    synchronized Instant failed(List<String> names, IssuanceFailure failure, Instant now) {
        Standing before = standings.getOrDefault(names, fresh(names, now));
        int failures = before.failures() + 1;
        Instant pause = now.plus(Renewal.pause(failures, random));
        Instant tryAt = failure.notBefore().filter(pause::isBefore).orElse(pause);
        if (needed.contains(names)) {
            note(new Standing(names, directory, tryAt.toString(), failures, failure.reason()));
        }
        return tryAt;
    }

    synchronized void answered(List<String> names, Optional<Window> window, Instant now) {
        asked.put(names, now.plus(Renewal.ASK_AGAIN));
        Standing standing = standings.get(names);
        if (standing != null && window.isPresent() && !window.get().contains(standing.due())) {
            note(new Standing(names, directory, window.get().moment(random).toString(), 0, ""));
        }
    }

    /** It is asked for again as soon as possible, for whatever reason. */
    synchronized void renew(List<String> names, Instant now) {
        note(fresh(names, now));
    }

    /** Not to be shown any more. */
    synchronized void drop(List<String> names, Instant now) {
        kept.forget(names);
        issued.remove(names);
        renew(names, now);
    }

    /** The group of names of which one is this, which is also how it is called. */
    synchronized Optional<List<String>> named(String name) {
        return needed.stream().filter(names -> names.contains(name)).findFirst();
    }

    synchronized Optional<Credentials> issued(List<String> names) {
        return Optional.ofNullable(issued.get(names));
    }

    /** Those that are in force. */
    synchronized Map<List<String>, Credentials> all(Instant now) {
        Map<List<String>, Credentials> inForce = new HashMap<>();
        issued.forEach((names, credentials) -> {
            Instant until = credentials.certificate().getNotAfter().toInstant();
            if (until.isAfter(now)) {
                inForce.put(names, credentials);
            }
        });
        return inForce;
    }

    synchronized Map<List<String>, Standing> standings() {
        Map<List<String>, Standing> wanted = new HashMap<>(standings);
        wanted.keySet().retainAll(needed);
        return wanted;
    }
}
