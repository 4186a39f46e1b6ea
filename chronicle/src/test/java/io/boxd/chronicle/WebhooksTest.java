package io.boxd.chronicle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Webhooks: signed, in order, at least once, and never where they may not go. */
@Tag("unit")
final class WebhooksTest {
    private static final Backoff QUICK =
            new Backoff(Duration.ofMillis(10), Duration.ofMillis(50), Duration.ofHours(24));
    private static final Backoff HOPELESS =
            new Backoff(Duration.ofMillis(10), Duration.ofMillis(20), Duration.ofMillis(300));

    @TempDir
    private Path home;

    private Feed feed;
    private TestingReceiver receiver;

    @BeforeEach
    void open() {
        feed = Feed.open(home.resolve("events"));
        receiver = new TestingReceiver();
    }

    @AfterEach
    void close() {
        receiver.close();
        feed.close();
    }

    private Webhooks webhooks(Backoff backoff, Predicate<InetAddress> allowed) {
        WebhookStore store = new WebhookFolder(home.resolve("webhooks"));
        Courier.Office office = new Courier.Office(
                feed,
                store,
                WebhookSender.usual(allowed),
                event -> event.kind() + " " + event.sequence(),
                new Semaphore(4),
                backoff);
        return new Webhooks(store, office, allowed);
    }

    private Webhooks webhooks() {
        return webhooks(QUICK, _ -> true);
    }

    private static List<String> bodies(List<TestingReceiver.Received> received) {
        return received.stream().map(TestingReceiver.Received::body).toList();
    }

    private static void await(String what, BooleanSupplier condition) {
        Deadline deadline = Deadline.inSeconds(30);
        while (!condition.getAsBoolean()) {
            if (deadline.passed()) {
                throw deadline.exceeded(what);
            }
            Thread.onSpinWait();
        }
    }

    @Test
    void itIsToldOfWhatItWantsSignedAndInOrder() throws Exception {
        feed.publish(FeedTest.draft("paused", "before"));
        await("the first event", () -> feed.last() == 1);
        try (Webhooks hooks = webhooks()) {
            Webhooks.Added added = hooks.add(receiver.url(), List.of("ready", "failed"), Optional.empty());
            for (String kind : List.of("created", "ready", "paused", "failed", "ready")) {
                feed.publish(FeedTest.draft(kind, "bx_1"));
            }
            List<TestingReceiver.Received> received = receiver.await(3);
            assertThat(bodies(received)).containsExactly("ready 3", "failed 5", "ready 6");
            String secret = added.secret().orElseThrow();
            assertThat(received).allMatch(one -> one.isSignedWith(secret));
            assertThat(received).noneMatch(one -> one.isSignedWith(secret + "x"));
            assertThat(received.getFirst().path()).isEqualTo("/hook?a=b");
            assertThat(hooks.list().toString()).doesNotContain(secret);
            Path file = home.resolve("webhooks").resolve(added.hook().id() + ".json");
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                    .isEqualTo("rw-------");
            hooks.remove(added.hook().id());
            try (Stream<Path> left = Files.list(home.resolve("webhooks"))) {
                assertThat(left).isEmpty();
            }
        }
    }

    @Test
    void whatIsNotTakenIsTriedAgainAndNothingOvertakesIt() throws Exception {
        try (Webhooks hooks = webhooks()) {
            hooks.add(receiver.url(), List.of(), Optional.of("a-secret-of-our-own"));
            receiver.answer(503);
            feed.publish(FeedTest.draft("created", "bx_1"));
            feed.publish(FeedTest.draft("ready", "bx_1"));
            receiver.awaitFailures(3);
            WebhookView failing = hooks.list().getFirst();
            assertThat(failing.attempts()).isPositive();
            assertThat(failing.failure().orElseThrow()).contains("503");
            assertThat(receiver.received()).isEmpty();
            receiver.answer(204);
            assertThat(bodies(receiver.await(2))).containsExactly("created 1", "ready 2");
            await("the cursor", () -> hooks.list().getFirst().cursor() == 2);
        }
        try (Webhooks next = webhooks()) {
            feed.publish(FeedTest.draft("paused", "bx_1"));
            assertThat(bodies(receiver.await(3)))
                    .as("another server goes on where the last one was")
                    .containsExactly("created 1", "ready 2", "paused 3");
            assertThat(next.list()).hasSize(1);
        }
    }

    @Test
    void whatIsGivenUpCanBeSentLaterOrForgotten() throws Exception {
        try (Webhooks hooks = webhooks(HOPELESS, _ -> true)) {
            String id = hooks.add(receiver.url(), List.of(), Optional.empty())
                    .hook()
                    .id();
            receiver.answer(500);
            for (int i = 0; i < 3; i++) {
                feed.publish(FeedTest.draft("paused", "bx_" + i));
            }
            await("three dead letters", () -> hooks.dead(Optional.of(id)).size() == 3);
            assertThat(hooks.retryDead(id, Optional.empty()).delivered()).isZero();
            assertThat(hooks.retryDead(id, Optional.empty()).failure().orElseThrow())
                    .contains("500");
            receiver.answer(200);
            assertThat(hooks.forgetDead(id, Optional.of(2L))).isEqualTo(1);
            assertThatThrownBy(() -> hooks.forgetDead(id, Optional.of(2L)))
                    .isInstanceOfSatisfying(
                            BoxdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_FOUND));
            assertThat(hooks.retryDead(id, Optional.empty())).isEqualTo(new Webhooks.Retried(2, 0, Optional.empty()));
            assertThat(bodies(receiver.received())).containsExactly("paused 1", "paused 3");
            assertThat(hooks.dead(Optional.empty())).isEmpty();
        }
    }

    @Test
    void redirectsAndSilenceAreFailures() throws Exception {
        WebhookSender impatient =
                new WebhookSender(_ -> true, host -> List.of(InetAddress.getAllByName(host)), Duration.ofMillis(300));
        Event event = FeedTest.draft("paused", "bx_1").numbered(1);
        receiver.answer(302);
        assertThat(impatient.send(hook(receiver.url()), event, "x"))
                .isInstanceOfSatisfying(
                        WebhookSender.Outcome.Failed.class,
                        failed -> assertThat(failed.why()).contains("302", "not followed"));
        assertThat(receiver.received()).isEmpty();
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            long start = System.nanoTime();
            assertThat(impatient.send(hook("http://127.0.0.1:" + silent.getLocalPort()), event, "x"))
                    .isInstanceOf(WebhookSender.Outcome.Failed.class);
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
        }
    }

    private static Webhook hook(String url) {
        return new Webhook("wh_1", url, List.of(), "0123456789abcdef", java.time.Instant.now());
    }

    @Test
    void theAddressThatIsDialledIsTheOneThatWasLookedAt() throws IOException {
        Predicate<InetAddress> outside = address -> !address.isLoopbackAddress();
        Event event = FeedTest.draft("paused", "bx_1").numbered(1);
        AtomicInteger asked = new AtomicInteger();
        // A name that leads outside when it is looked at, and to this host when it is asked for again.
        WebhookSender.Names rebinding =
                _ -> List.of(InetAddress.ofLiteral(asked.getAndIncrement() == 0 ? "192.0.2.1" : "127.0.0.1"));
        WebhookSender careful = new WebhookSender(outside, rebinding, Duration.ofMillis(300));
        String url = "http://rebinding.example:" + receiver.port() + "/";
        assertThat(careful.send(hook(url), event, "x")).isInstanceOf(WebhookSender.Outcome.Failed.class);
        assertThat(asked).as("asked once, not again for dialling").hasValue(1);
        assertThat(careful.send(hook(url), event, "x"))
                .isInstanceOfSatisfying(
                        WebhookSender.Outcome.Failed.class,
                        failed -> assertThat(failed.why()).contains("webhooks_allow_private"));
        assertThat(receiver.received()).isEmpty();
        // Red control: without the look at the address, the same name reaches this host.
        WebhookSender careless = new WebhookSender(_ -> true, rebinding, Duration.ofSeconds(5));
        assertThat(careless.send(hook(url), event, "x")).isInstanceOf(WebhookSender.Outcome.Delivered.class);
        assertThat(receiver.received()).hasSize(1);
    }

    @Test
    void whatCannotBeATargetIsRefusedAtOnce() {
        try (Webhooks hooks = webhooks(QUICK, address -> !address.isLoopbackAddress())) {
            for (String wrong : List.of(
                    "ftp://example.org/",
                    "https://",
                    "example.org",
                    "https://user:pass@example.org/",
                    "https://example.org/#part",
                    "http://exa mple.org/",
                    "https://example.org:99999/")) {
                assertThatThrownBy(() -> hooks.add(wrong, List.of(), Optional.empty()))
                        .as(wrong)
                        .isInstanceOfSatisfying(
                                BoxdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT));
            }
            for (String inside : List.of("http://127.0.0.1:80/", "http://[::1]/", "https://[::ffff:127.0.0.1]/")) {
                assertThatThrownBy(() -> hooks.add(inside, List.of(), Optional.empty()))
                        .as(inside)
                        .isInstanceOfSatisfying(
                                BoxdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PERMISSION_DENIED));
            }
            assertThatThrownBy(() -> hooks.add("https://example.org/", List.of(), Optional.of("short")))
                    .hasMessageContaining("secret");
            assertThat(hooks.list()).isEmpty();
        }
    }

    @Test
    void waitsGrowAndDiffer() {
        Backoff backoff = Backoff.usual();
        RandomGenerator random = RandomGenerator.of("L64X128MixRandom");
        assertThat(backoff.after(1, random)).isBetween(Duration.ofMillis(500), Duration.ofSeconds(1));
        assertThat(backoff.after(4, random)).isBetween(Duration.ofSeconds(4), Duration.ofSeconds(8));
        assertThat(backoff.after(1000, random)).isBetween(Duration.ofMinutes(5), Duration.ofMinutes(10));
    }

    @Test
    void aTrialTellsHowItWent() {
        try (Webhooks hooks = webhooks()) {
            String id = hooks.add(receiver.url(), List.of("ready"), Optional.empty())
                    .hook()
                    .id();
            assertThat(hooks.test(id).status()).contains(200);
            assertThat(bodies(receiver.received())).containsExactly("test 0");
            receiver.answer(404);
            assertThat(hooks.test(id).failure().orElseThrow()).contains("404");
        }
    }
}
