package io.boxd.vmm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.common.Json;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The monitor connection against a monitor that answers in order, out of order, wrongly, or not at all. */
@Tag("unit")
@Timeout(30)
class QmpTest {
    @TempDir
    Path folder;

    private final BlockingQueue<QmpEvent> events = new LinkedBlockingQueue<>();

    @Test
    void negotiatesAndReturnsAnswers() throws IOException {
        try (TestingMonitor monitor =
                        TestingMonitor.scripted(folder, (m, command) -> m.answer(command, "{\"status\":\"running\"}"));
                Qmp qmp = connect(monitor)) {
            assertThat(qmp.execute("query-status", soon()).path("status").asString())
                    .isEqualTo("running");
        }
    }

    @Test
    void sendsArgumentsOnlyWhereThereAreAny() throws Exception {
        try (TestingMonitor monitor = TestingMonitor.obliging(folder);
                Qmp qmp = connect(monitor)) {
            qmp.execute("stop", soon());
            assertThat(monitor.nextCommand().has("arguments")).isFalse();
            qmp.execute("migrate-incoming", Json.object().put("uri", "fd:7"), soon());
            assertThat(monitor.nextCommand().path("arguments").path("uri").asString())
                    .isEqualTo("fd:7");
        }
    }

    @Test
    void matchesAnswersThatComeOutOfOrderBetweenEvents() throws Exception {
        AtomicReference<@Nullable JsonNode> first = new AtomicReference<>();
        try (TestingMonitor monitor = TestingMonitor.scripted(folder, (m, command) -> {
                    m.say("{\"event\":\"E-" + command.path("execute").asString("") + "\",\"data\":{\"n\":1}}\n");
                    JsonNode before = first.getAndSet(command);
                    if (before != null) {
                        m.answer(command, "\"second\"");
                        m.say("{\"event\":\"BETWEEN\"}\n");
                        m.answer(before, "\"first\"");
                    }
                });
                Qmp qmp = connect(monitor)) {
            CompletableFuture<JsonNode> one = qmp.submit("one", Json.object());
            monitor.nextCommand();
            CompletableFuture<JsonNode> two = qmp.submit("two", Json.object());
            assertThat(qmp.await(one, "one", soon()).asString()).isEqualTo("first");
            assertThat(qmp.await(two, "two", soon()).asString()).isEqualTo("second");
            assertThat(List.of(nextEvent(), nextEvent(), nextEvent())).containsExactly("E-one", "E-two", "BETWEEN");
        }
    }

    @Test
    void ignoresAnswersThatNobodyWaitsFor() throws IOException {
        try (TestingMonitor monitor = TestingMonitor.scripted(folder, (m, command) -> {
                    m.say("{\"return\":\"wrong\",\"id\":999999}\n{\"return\":\"wrong\"}\n");
                    m.say("{\"error\":{\"desc\":\"wrong\"},\"id\":\"text\"}\n");
                    m.say("{\"return\":\"wrong\",\"id\":-1}\n[]\n7\n");
                    m.answer(command, "\"right\"");
                    m.answer(command, "\"again\"");
                });
                Qmp qmp = connect(monitor)) {
            assertThat(qmp.execute("a", soon()).asString()).isEqualTo("right");
            assertThat(qmp.execute("b", soon()).asString()).isEqualTo("right");
        }
    }

    @Test
    void tellsQemusReasonInPrintableCharacters() throws IOException {
        try (TestingMonitor monitor = TestingMonitor.scripted(
                        folder, (m, command) -> m.refuse(command, "no \u001b[31m\nroom\u202e!" + "x".repeat(5000)));
                Qmp qmp = connect(monitor)) {
            assertThatThrownBy(() -> qmp.execute("blockdev-add", soon()))
                    .isInstanceOf(BoxdException.class)
                    .hasMessageStartingWith("QEMU's blockdev-add: no \\u001b[31m\\u000aroom\\u202e!xxx")
                    .message()
                    .hasSizeLessThan(700);
        }
    }

    @Test
    void survivesAnErrorWithoutReason() throws IOException {
        try (TestingMonitor monitor = TestingMonitor.scripted(
                        folder, (m, command) -> m.say("{\"error\":7,\"id\":" + command.path("id") + "}\n"));
                Qmp qmp = connect(monitor)) {
            assertThatThrownBy(() -> qmp.execute("stop", soon())).hasMessage("QEMU's stop: no reason given");
        }
    }

    /** QEMU nests one level for each layer of a disk; a fork of a fork of a fork must stay reachable. */
    @Test
    void readsAnswersAsDeepAsAChainOfManyLayers() throws IOException {
        String deep = "{\"backing\":".repeat(450) + "{}" + "}".repeat(450);
        try (TestingMonitor monitor = TestingMonitor.scripted(folder, (m, command) -> m.answer(command, deep));
                Qmp qmp = connect(monitor)) {
            assertThat(qmp.execute("query-blockstats", soon()).has("backing")).isTrue();
        }
    }

    @Test
    void endsOnAnOverlongLine() throws IOException {
        assertEndsOn("{\"return\":\"" + "x".repeat(5 << 20) + "\"}\n");
    }

    @Test
    void endsOnGarbage() throws IOException {
        assertEndsOn("\u0000\u0001 not a monitor\n");
    }

    @Test
    void endsOnBottomlessNesting() throws IOException {
        assertEndsOn("[".repeat(100_000) + "\n");
    }

    private void assertEndsOn(String text) throws IOException {
        try (TestingMonitor monitor = TestingMonitor.scripted(folder, (m, command) -> m.say(text));
                Qmp qmp = connect(monitor)) {
            CompletableFuture<Void> ended = new CompletableFuture<>();
            qmp.onEnd(() -> ended.complete(null));
            assertGone(() -> qmp.execute("query-status", soon()));
            ended.orTimeout(10, TimeUnit.SECONDS).join();
            assertGone(() -> qmp.execute("query-status", soon()));
        }
    }

    @Test
    void everyWaiterLearnsAtOnceThatQemuIsGone() throws Exception {
        try (TestingMonitor monitor = TestingMonitor.silent(folder);
                Qmp qmp = connect(monitor);
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> waiting = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                waiting.add(threads.submit(() -> assertGone(() -> qmp.execute("stop", Deadline.inSeconds(600)))));
            }
            for (int i = 0; i < 20; i++) {
                monitor.nextCommand();
            }
            monitor.hangUp();
            for (Future<?> waiter : waiting) {
                waiter.get(10, TimeUnit.SECONDS);
            }
        }
    }

    @Test
    void aSilentMonitorMeetsTheDeadline() throws IOException {
        try (TestingMonitor monitor = TestingMonitor.silent(folder);
                Qmp qmp = connect(monitor)) {
            assertThatThrownBy(() -> qmp.execute("stop", Deadline.inMillis(50)))
                    .isInstanceOfSatisfying(
                            BoxdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TIMEOUT))
                    .hasMessage("QEMU's stop did not finish within 50 ms");
        }
    }

    @Test
    void unansweredCommandsAreBounded() throws IOException {
        try (TestingMonitor monitor = TestingMonitor.silent(folder);
                Qmp qmp = connect(monitor)) {
            List<CompletableFuture<JsonNode>> unanswered = new ArrayList<>();
            assertThatThrownBy(() -> {
                        for (int i = 0; i < 1000; i++) {
                            unanswered.add(qmp.submit("stop", Json.object()));
                        }
                    })
                    .hasMessage("QEMU leaves too many commands unanswered");
            assertThat(unanswered).hasSize(64);
        }
    }

    @Test
    void aLateAnswerMakesRoomAgain() throws Exception {
        AtomicReference<@Nullable JsonNode> late = new AtomicReference<>();
        try (TestingMonitor monitor = TestingMonitor.scripted(folder, (m, command) -> {
                    JsonNode before = late.getAndSet(command);
                    if (before != null) {
                        m.answer(before, "\"late\"");
                        m.answer(command, "\"in time\"");
                    }
                });
                Qmp qmp = connect(monitor)) {
            assertThatThrownBy(() -> qmp.execute("stop", Deadline.inMillis(20))).hasMessageContaining("within 20 ms");
            assertThat(qmp.execute("cont", soon()).asString()).isEqualTo("in time");
        }
    }

    @Test
    void aMonitorThatNeverGreetsMeetsTheDeadline() throws IOException {
        try (TestingMonitor monitor = TestingMonitor.greetingWith(folder, "")) {
            assertThatThrownBy(() -> Qmp.connect(monitor.socket(), events::add, Deadline.inMillis(50)))
                    .hasMessage("the QEMU greeting did not finish within 50 ms");
        }
    }

    @Test
    void aMonitorThatEndsBeforeGreetingIsGone() throws IOException {
        try (TestingMonitor monitor = TestingMonitor.greetingWith(folder, "")) {
            Thread.ofVirtual().start(() -> {
                try {
                    monitor.hangUp();
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            });
            assertGone(() -> Qmp.connect(monitor.socket(), events::add, soon()));
        }
    }

    @Test
    void nobodyListensAtTheSocket() {
        assertThatThrownBy(() -> Qmp.connect(folder.resolve("none.sock"), events::add, soon()))
                .isInstanceOf(BoxdException.class)
                .hasMessageContaining("cannot connect");
    }

    @Test
    void closingFailsThoseWhoWait() throws Exception {
        try (TestingMonitor monitor = TestingMonitor.silent(folder);
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Qmp qmp = connect(monitor);
            Future<?> waiter = threads.submit(() -> assertGone(() -> qmp.execute("stop", Deadline.inSeconds(600))));
            monitor.nextCommand();
            qmp.close();
            waiter.get(10, TimeUnit.SECONDS);
            assertGone(() -> qmp.execute("cont", soon()));
        }
    }

    /** A listener that throws ends the connection rather than the reading of everybody's answers. */
    @Test
    void aThrowingListenerLeavesNobodyWaiting() throws IOException {
        try (TestingMonitor monitor = TestingMonitor.scripted(folder, (m, command) -> m.say("{\"event\":\"X\"}\n"));
                Qmp qmp = Qmp.connect(
                        monitor.socket(),
                        event -> {
                            throw new IllegalStateException("on purpose");
                        },
                        soon())) {
            assertGone(() -> qmp.execute("stop", soon()));
        }
    }

    @Test
    void manyThreadsGetTheirOwnAnswers() throws Exception {
        int threadCount = 24;
        int rounds = 200;
        try (TestingMonitor monitor = TestingMonitor.scripted(folder, (m, command) -> {
                    m.say("{\"event\":\"TICK\"}\n");
                    m.answer(command, command.path("arguments").path("n").toString());
                });
                Qmp qmp = connect(monitor);
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            CountDownLatch start = new CountDownLatch(1);
            List<Future<?>> all = new ArrayList<>();
            for (int thread = 0; thread < threadCount; thread++) {
                int offset = thread * rounds;
                all.add(threads.submit(() -> {
                    start.await();
                    for (int n = offset; n < offset + rounds; n++) {
                        assertThat(qmp.execute("echo", Json.object().put("n", n), soon())
                                        .asInt())
                                .isEqualTo(n);
                    }
                    return null;
                }));
            }
            start.countDown();
            for (Future<?> one : all) {
                one.get(25, TimeUnit.SECONDS);
            }
            assertThat(events).hasSize(threadCount * rounds);
        }
    }

    private Qmp connect(TestingMonitor monitor) {
        return Qmp.connect(monitor.socket(), events::add, soon());
    }

    private String nextEvent() throws InterruptedException {
        QmpEvent event = events.poll(10, TimeUnit.SECONDS);
        assertThat(event).isNotNull();
        return event == null ? "" : event.name();
    }

    private static void assertGone(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        BoxdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE))
                .hasMessageContaining("the machine's QEMU process has ended");
    }

    private static Deadline soon() {
        return Deadline.in(Duration.ofSeconds(20));
    }
}
