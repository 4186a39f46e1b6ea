package io.boxd.control;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.accounts.AccountCommand;
import io.boxd.accounts.Scopes;
import io.boxd.accounts.Secrets;
import io.boxd.accounts.TokenRow;
import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.guest.ReadOptions;
import java.io.IOException;
import java.io.InputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is open ends at the moment at which the token expires that opened it; beside it, a token that does not. */
@Tag("host")
final class ExpiryTest {
    private static final Duration HOLDS = Duration.ofMillis(1500);

    /** How late the end may come on a busy host. */
    private static final Duration LATE = Duration.ofSeconds(1);

    private final TestingControl house = new TestingControl();

    @TempDir
    private Path folder;

    private Instant end = Instant.EPOCH;

    @BeforeEach
    void open() {
        house.boxes().add("a");
    }

    @AfterEach
    void close() {
        house.close();
    }

    private Caller bearer(Optional<Instant> expiry) {
        String secret = "secret-" + expiry.isPresent();
        house.accounts()
                .apply(new AccountCommand.AddToken(new TokenRow(
                        "tok_" + expiry.isPresent(),
                        "usr_ada",
                        Secrets.hash(secret),
                        "",
                        Scopes.all(),
                        Optional.empty(),
                        Instant.now(),
                        expiry)));
        return known(new Credential.Token(secret));
    }

    private Caller known(Credential shown) {
        return house.control().identify(Caller.stranger("test", "127.0.0.1", Optional.empty()), shown);
    }

    private Caller brief() {
        end = Instant.now().plus(HOLDS);
        return bearer(Optional.of(end));
    }

    private Caller lasting() {
        return bearer(Optional.empty());
    }

    private void assertEndsInTime(ThrowingCallable waiting) {
        assertThatThrownBy(waiting).isInstanceOfAny(BoxdException.class, IOException.class);
        assertThat(Instant.now()).isBetween(end, end.plus(LATE));
    }

    private static void awaitNothing(BoxStream stream) {
        assertThat(stream.next(Deadline.in(HOLDS.plus(LATE)))).isEqualTo(new Happening.Nothing());
    }

    private static Deadline inAMinute() {
        return Deadline.inSeconds(60);
    }

    @Test
    void commandsAndWhatTheyHaveSaid() {
        Control control = house.control();
        String sleeping = "{'box':'a','argv':['sleep','300']}";
        Caller lasting = lasting();
        try (ExecutionStream ours = control.exec(lasting, TestingControl.object(sleeping))) {
            String attaching = "{'box':'a','exec_id':'" + ours.execution() + "'}";
            Caller brief = brief();
            try (ExecutionStream theirs = control.exec(brief, TestingControl.object(sleeping));
                    ExecutionStream attached = control.attach(brief, TestingControl.object(attaching));
                    BoxStream log =
                            control.logs(brief, TestingControl.object(attaching).put("follow", true))) {
                assertEndsInTime(() -> theirs.next(inAMinute()));
                assertEndsInTime(() -> attached.next(inAMinute()));
                assertEndsInTime(() -> log.next(inAMinute()));
                assertEndsInTime(() -> theirs.write(new byte[1], 0, 1));
            }
            assertThat(ours.next(Deadline.inMillis(100))).isEqualTo(new Happening.Nothing());
            assertThat(house.say("ps", "{'box':'a'}")).as("commands go on").hasSize(2);
        }
    }

    @Test
    void withItsKeyASessionEnds() {
        String sleeping = "{'box':'a','argv':['sleep','300']}";
        try (ExecutionStream theirs =
                        house.control().exec(known(new Credential.Key("SHA256:ada")), TestingControl.object(sleeping));
                ExecutionStream ours = house.control().exec(lasting(), TestingControl.object(sleeping))) {
            house.say("key rm", "{'fingerprint':'SHA256:ada'}");
            assertThatThrownBy(() -> theirs.next(inAMinute())).isInstanceOf(BoxdException.class);
            assertThat(ours.next(Deadline.inMillis(100))).isEqualTo(new Happening.Nothing());
        }
    }

    @Test
    void redControlWithoutAnEndNothingEnds() {
        Caller lasting = lasting();
        try (ExecutionStream stream =
                house.control().exec(lasting, TestingControl.object("{'box':'a','argv':['sleep','300']}"))) {
            awaitNothing(stream);
        }
    }

    @Test
    void whatIsFollowed() {
        for (String verb : new String[] {"events", "audit"}) {
            try (Following following = house.control().follow(brief(), verb, TestingControl.object("{}"))) {
                assertEndsInTime(() -> {
                    while (true) {
                        following.next(inAMinute());
                    }
                });
            }
            house.accounts().apply(new AccountCommand.Sweep(end));
        }
    }

    @Test
    void aFileOnItsWayOut() throws IOException {
        BoxFiles files = house.control().files(brief());
        BoxFiles.Place zeros = new BoxFiles.Place("a", "/dev/zero", Optional.empty());
        try (var download = files.read(zeros, new ReadOptions(0, Long.MAX_VALUE, true, false))) {
            InputStream content = download.content();
            byte[] piece = new byte[1 << 16];
            assertEndsInTime(() -> {
                while (true) {
                    assertThat(content.read(piece)).isPositive();
                }
            });
        }
    }

    @Test
    void aFileOnItsWayIn() throws IOException {
        Path target = folder.resolve("target");
        BoxFiles files = house.control().files(brief());
        BoxFiles.Writing writing = new BoxFiles.Writing(Optional.empty(), Optional.empty());
        try (PipedOutputStream sender = new PipedOutputStream();
                PipedInputStream content = new PipedInputStream(sender)) {
            Thread client = Thread.startVirtualThread(() -> sendUntilNobodyReads(sender));
            BoxFiles.Place place = new BoxFiles.Place("a", target.toString(), Optional.of("root"));
            assertEndsInTime(() -> files.write(place, writing, content));
            client.interrupt();
        }
        assertThat(Files.exists(target)).isFalse();
    }

    private static void sendUntilNobodyReads(PipedOutputStream sender) {
        byte[] piece = "something".getBytes(UTF_8);
        try {
            while (!Thread.interrupted()) {
                sender.write(piece);
            }
        } catch (IOException e) {
            // The other end was closed, as is meant.
        }
    }

    @Test
    void aTokenThatHasEndedBeginsNothing() {
        Caller brief = bearer(Optional.of(Instant.now().plusMillis(50)));
        TokenRow row = house.accounts().rows().token("tok_true").orElseThrow();
        Deadline deadline = Deadline.inSeconds(10);
        while (row.holds(Instant.now())) {
            assertThat(deadline.passed()).isFalse();
            Thread.onSpinWait();
        }
        assertThatThrownBy(() -> house.control().follow(brief, "events", TestingControl.object("{}")))
                .isInstanceOf(BoxdException.class)
                .hasMessageContaining("not known any more");
    }
}
