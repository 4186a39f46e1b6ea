package io.boxd.inside;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.common.Json;
import io.boxd.inside.Frame.Kind;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What goes over a link is bounded, and who does not keep to the protocol harms only himself. */
@Tag("unit")
final class LinkTest {
    /** Messages arrive at the other side at once. */
    private static final class TestingWire implements Wire {
        private final AtomicInteger bytes = new AtomicInteger();
        private volatile @Nullable Link other;
        private volatile boolean cut;

        @Override
        public void send(ByteBuffer message) {
            bytes.addAndGet(message.remaining());
            Link receiver = other;
            if (receiver != null) {
                receiver.received(message);
            }
        }

        @Override
        public void cut() {
            cut = true;
        }
    }

    private final BlockingQueue<Conversation> visitors = new LinkedBlockingQueue<>();
    private final TestingWire toControl = new TestingWire();
    private final TestingWire toDoor = new TestingWire();
    private final Link door = Link.asking(toControl);
    private final Link control = Link.answering(toDoor, visitors::add);

    LinkTest() {
        toControl.other = control;
        toDoor.other = door;
    }

    private Conversation visitor() throws InterruptedException {
        Conversation visitor = visitors.poll(20, TimeUnit.SECONDS);
        assertThat(visitor).as("a conversation has begun").isNotNull();
        return visitor;
    }

    private static Deadline soon() {
        return Deadline.inSeconds(20);
    }

    @Test
    void whoTakesNothingStopsWhoSends() throws Exception {
        Conversation here = door.open();
        Conversation there = visitor();
        byte[] much = new byte[4 << 20];
        new Random(1).nextBytes(much);
        CompletableFuture<Void> sending = CompletableFuture.runAsync(() -> there.send(1, much, 0, much.length));
        assertThatThrownBy(() -> sending.get(300, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
        assertThat(toDoor.bytes.get()).isLessThanOrEqualTo(InsideLimits.WINDOW_BYTES);
        there.id();
        byte[] got = new byte[much.length];
        for (int at = 0; at < got.length; ) {
            Message.Data data = (Message.Data) here.take(soon()).orElseThrow();
            int count = data.bytes().remaining();
            data.bytes().get(got, at, count);
            at += count;
        }
        sending.get(20, TimeUnit.SECONDS);
        assertThat(got).isEqualTo(much);
        there.end();
        assertThat(here.take(soon())).contains(new Message.End());
    }

    @Test
    void aLongTextArrivesWhole() throws Exception {
        Conversation here = door.open();
        Conversation there = visitor();
        String text = "ä\u0000".repeat(1_000_000);
        CompletableFuture<Void> sending =
                CompletableFuture.runAsync(() -> there.say(Json.object().put("text", text)));
        Message.Text got = (Message.Text) here.take(soon()).orElseThrow();
        assertThat(got.json().path("text").asString()).isEqualTo(text);
        sending.get(20, TimeUnit.SECONDS);
    }

    @Test
    void whoLeavesEndsWhoSendsAndWhoWaits() throws Exception {
        Conversation here = door.open();
        Conversation there = visitor();
        byte[] much = new byte[4 << 20];
        CompletableFuture<Void> sending = CompletableFuture.runAsync(() -> there.send(1, much, 0, much.length));
        CompletableFuture<BoxdException> waiting = CompletableFuture.supplyAsync(
                () -> catchThrowableOfType(BoxdException.class, () -> there.take(soon())));
        here.close();
        assertThatThrownBy(() -> sending.get(20, TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class);
        assertThat(waiting.get(20, TimeUnit.SECONDS).code()).isEqualTo(ErrorCode.UNAVAILABLE);
    }

    @Test
    void failuresComeBehindWhatWasSaidBefore() throws Exception {
        Conversation here = door.open();
        Conversation there = visitor();
        there.say(Json.object().put("first", 1));
        there.fail(new BoxdException(ErrorCode.QUOTA_EXCEEDED, "too many", "fewer", null));
        assertThat(here.take(soon()).orElseThrow()).isInstanceOf(Message.Text.class);
        assertThatThrownBy(() -> here.take(soon())).isInstanceOfSatisfying(BoxdException.class, e -> {
            assertThat(e.code()).isEqualTo(ErrorCode.QUOTA_EXCEEDED);
            assertThat(e.getMessage()).isEqualTo("too many");
            assertThat(e.hint()).isEqualTo("fewer");
        });
    }

    @Test
    void aLostLinkEndsEverything() throws Exception {
        Conversation here = door.open();
        Conversation there = visitor();
        CompletableFuture<BoxdException> waiting =
                CompletableFuture.supplyAsync(() -> catchThrowableOfType(BoxdException.class, () -> here.take(soon())));
        door.lose("a test wants it", null);
        control.lose("a test wants it", null);
        assertThat(waiting.get(20, TimeUnit.SECONDS).code()).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThatThrownBy(() -> there.take(soon())).isInstanceOf(BoxdException.class);
        assertThatThrownBy(door::open).isInstanceOf(BoxdException.class);
        assertThat(toControl.cut && toDoor.cut).isTrue();
    }

    /** Each is a door of its own; its link is cut, and nothing of it stays. */
    @Test
    void nonsenseCutsTheLink() {
        List<List<ByteBuffer>> nonsense = new ArrayList<>();
        nonsense.add(List.of(ByteBuffer.allocate(3)));
        nonsense.add(List.of(ByteBuffer.allocate(Frame.largest() + 100)));
        nonsense.add(List.of(ByteBuffer.wrap(new byte[] {0, 0, 0, 1, 99})));
        nonsense.add(List.of(ByteBuffer.wrap(new byte[] {-1, 0, 0, 1, 1})));
        nonsense.add(List.of(opening(0)));
        nonsense.add(List.of(opening(5), opening(5)));
        nonsense.add(List.of(opening(5), Frame.credit(5, 1).write()));
        nonsense.add(List.of(opening(5), Frame.credit(5, -1).write()));
        nonsense.add(List.of(
                opening(5), Frame.of(5, Kind.END).write(), Frame.of(5, Kind.END).write()));
        nonsense.add(List.of(opening(5), Frame.of(5, Kind.DATA).write()));
        List<ByteBuffer> flood = new ArrayList<>(List.of(opening(5)));
        for (int i = 0; i < InsideLimits.WINDOW_BYTES / InsideLimits.FRAME_BYTES + 1; i++) {
            flood.add(new Frame(5, Kind.DATA, ByteBuffer.allocate(InsideLimits.FRAME_BYTES)).write());
        }
        nonsense.add(flood);
        for (List<ByteBuffer> messages : nonsense) {
            TestingWire wire = new TestingWire();
            Link link = Link.answering(wire, _ -> {});
            messages.forEach(link::received);
            assertThat(wire.cut).as("message %s", nonsense.indexOf(messages)).isTrue();
            assertThat(link.isLost()).isTrue();
        }
    }

    private static ByteBuffer opening(int conversation) {
        return Frame.of(conversation, Kind.OPEN).write();
    }

    @Test
    void nobodyOpensMoreThanThereMayBe() throws Exception {
        List<Conversation> open = new ArrayList<>();
        for (int i = 0; i < InsideLimits.CONVERSATIONS; i++) {
            open.add(door.open());
            visitor();
        }
        Conversation tooMany = door.open();
        assertThatThrownBy(() -> tooMany.take(soon()))
                .isInstanceOfSatisfying(
                        BoxdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.RESOURCE_EXHAUSTED));
        open.getFirst().close();
        door.open();
        assertThat(visitor()).isNotNull();
    }

    /** What is asked for is bounded, also over all requests of a door. */
    @Test
    void requestsAreBounded() throws Exception {
        Conversation here = door.open();
        Conversation there = visitor();
        String large = "x".repeat(InsideLimits.REQUEST_BYTES);
        CompletableFuture<Void> saying = CompletableFuture.runAsync(() -> {
            try {
                here.say(Json.object().put("text", large));
            } catch (BoxdException e) {
                assertThat(e.code()).isNotNull(); // control has ended it
            }
        });
        BoxdException failure = catchThrowableOfType(BoxdException.class, () -> there.take(soon()));
        assertThat(failure.getMessage()).contains("more than");
        there.fail(failure);
        saying.get(20, TimeUnit.SECONDS);
    }
}
