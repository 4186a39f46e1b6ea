package io.boxd.chronicle;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** All who want to be told of events; each has a courier of its own, and few of them send at the same time. */
public final class Webhooks implements AutoCloseable {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int MOST = 32;
    private static final int AT_ONCE = 8;
    private static final int SHORTEST_SECRET = 16;
    private static final int LONGEST_SECRET = 1024;
    private static final Duration ENDING = Duration.ofSeconds(12);

    private final WebhookStore store;
    private final Courier.Office office;
    private final Predicate<InetAddress> allowed;
    private final Map<String, Courier> couriers = new LinkedHashMap<>();

    /** A webhook that was added, and its secret if nobody had brought one. */
    public record Added(WebhookView hook, Optional<String> secret) {}

    /** How the events fared that were given up before. */
    public record Retried(int delivered, int left, Optional<String> failure) {}

    /** How a trial ended. */
    public record Tested(boolean delivered, Optional<Integer> status, Optional<String> failure, long tookMillis) {}

    Webhooks(WebhookStore store, Courier.Office office, Predicate<InetAddress> allowed) {
        this.store = store;
        this.office = office;
        this.allowed = allowed;
        for (Webhook hook : store.all()) {
            begin(hook);
        }
    }

    /**
     * Goes on with the webhooks of a store.
     *
     * @param body an event as it is told
     * @param allowed which addresses may be dialled
     */
    static Webhooks open(WebhookStore store, Feed feed, Function<Event, String> body, Predicate<InetAddress> allowed) {
        Courier.Office office = new Courier.Office(
                feed, store, WebhookSender.usual(allowed), body, new Semaphore(AT_ONCE), Backoff.usual());
        return new Webhooks(store, office, allowed);
    }

    private Courier begin(Webhook hook) {
        Courier courier = new Courier(hook, office);
        couriers.put(hook.id(), courier);
        courier.begin();
        return courier;
    }

    /** An id that no webhook has. */
    public static String freshId() {
        return "wh_" + hex(6);
    }

    /** Tells a URL of everything that happens from now on. */
    public Added add(String url, List<String> kinds, Optional<String> secret) {
        return add(freshId(), url, kinds, secret);
    }

    /** The same under an id that was chosen before. */
    public synchronized Added add(String id, String url, List<String> kinds, Optional<String> secret) {
        requireAllowed(WebhookTarget.parse(url));
        if (couriers.size() >= MOST) {
            throw new BoxdException(
                    ErrorCode.QUOTA_EXCEEDED,
                    "this server has " + MOST + " webhooks, and may not have more",
                    "Remove some: boxd webhook rm ID.",
                    null);
        }
        secret.ifPresent(Webhooks::requireSecret);
        String used = secret.orElseGet(() -> "whs_" + hex(32));
        Webhook hook = new Webhook(id, url, kinds, used, Instant.now());
        store.add(hook, office.feed().last());
        return new Added(begin(hook).view(), secret.isPresent() ? Optional.empty() : Optional.of(used));
    }

    /** What can be known before a name is asked for; the address that is dialled is looked at each time. */
    private void requireAllowed(WebhookTarget target) {
        try {
            if (!allowed.test(InetAddress.ofLiteral(target.hostToResolve()))) {
                throw new BoxdException(
                        ErrorCode.PERMISSION_DENIED,
                        "webhooks may not be at " + target.host() + ", an address of this host or a private network",
                        "Whoever runs this server can allow it: webhooks_allow_private"
                                + " (BOXD_WEBHOOKS_ALLOW_PRIVATE).",
                        null);
            }
        } catch (IllegalArgumentException e) {
            // It is a name.
            return;
        }
    }

    private static void requireSecret(String secret) {
        int length = secret.getBytes(StandardCharsets.UTF_8).length;
        if (length < SHORTEST_SECRET || length > LONGEST_SECRET) {
            throw new BoxdException(
                    ErrorCode.INVALID_ARGUMENT,
                    "a webhook's secret has " + SHORTEST_SECRET + " to " + LONGEST_SECRET + " bytes",
                    "Leave it out, and a good one is made.",
                    null);
        }
    }

    private static String hex(int bytes) {
        byte[] drawn = new byte[bytes];
        RANDOM.nextBytes(drawn);
        return HexFormat.of().formatHex(drawn);
    }

    public synchronized List<WebhookView> list() {
        return couriers.values().stream().map(Courier::view).toList();
    }

    private synchronized Courier courier(String id) {
        Courier courier = couriers.get(id);
        if (courier == null) {
            throw new BoxdException(
                    ErrorCode.NOT_FOUND, "there is no webhook " + id, "See them all: boxd webhook list.", null);
        }
        return courier;
    }

    /** Nothing is told any more, and nothing that was given up is kept. */
    public void remove(String id) {
        Courier courier = courier(id);
        courier.end();
        // What it is just telling it may still write down; it must not do so after the files are gone.
        if (!courier.awaitEnd(Deadline.in(ENDING))) {
            throw new BoxdException(ErrorCode.TIMEOUT, "webhook " + id + " is still being told", "Try again.", null);
        }
        synchronized (this) {
            couriers.remove(id);
            store.remove(id);
        }
    }

    /** Sends an event that tells of nothing, once. */
    public Tested test(String id) {
        Event event = new Event.Draft(
                        Instant.now(),
                        "test",
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        "somebody tries whether it arrives",
                        Optional.empty(),
                        Map.of())
                .numbered(0);
        long start = System.nanoTime();
        WebhookSender.Outcome outcome = courier(id).test(event);
        long millis = (System.nanoTime() - start) / 1_000_000;
        return switch (outcome) {
            case WebhookSender.Outcome.Delivered(int status) ->
                new Tested(true, Optional.of(status), Optional.empty(), millis);
            case WebhookSender.Outcome.Failed(String why) ->
                new Tested(false, Optional.empty(), Optional.of(why), millis);
        };
    }

    /** Events that were given up, of one webhook or of all. */
    public List<DeadLetter> dead(Optional<String> id) {
        Stream<String> hooks =
                id.map(Stream::of).orElseGet(() -> list().stream().map(WebhookView::id));
        return hooks.flatMap(hook -> courier(hook).dead().stream()).toList();
    }

    /** Sends what was given up once more, the oldest first. */
    public Retried retryDead(String id, Optional<Long> sequence) {
        return courier(id).retry(sequence);
    }

    public int forgetDead(String id, Optional<Long> sequence) {
        return courier(id).forget(sequence);
    }

    /** Ends all couriers; what was not told is told by the next server. */
    @Override
    public synchronized void close() {
        couriers.values().forEach(Courier::end);
        Deadline deadline = Deadline.in(ENDING);
        couriers.values().forEach(courier -> courier.awaitEnd(deadline));
    }
}
