package io.boxd.inside;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.boxd.accounts.TestingAccounts;
import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.control.Caller;
import io.boxd.control.Control;
import io.boxd.control.Credential;
import io.boxd.control.ExecutionStream;
import io.boxd.control.TestingControl;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Control in another process, as far as its doors can tell: everything goes over mutual TLS. */
@Tag("host")
final class RemoteControlTest extends ControlContract {
    private TestingInside inside;
    private RemoteControl remote;

    @BeforeEach
    void open() {
        inside = new TestingInside(folder.resolve("home"), house.control());
        remote = inside.door(Set.of("api"));
    }

    @AfterEach
    void close() {
        remote.close();
        inside.close();
    }

    @Override
    Control control() {
        return remote;
    }

    @Test
    void whileControlIsAwayEverythingFailsAtOnceAndThenGoesOn() throws Exception {
        try (ExecutionStream stream = exec("'stdin':true,'argv':['cat']")) {
            CompletableFuture<BoxdException> reader =
                    CompletableFuture.supplyAsync(() -> catchThrowableOfType(BoxdException.class, () -> drain(stream)));
            Caller known = ada();
            inside.end();
            assertThat(reader.get(5, TimeUnit.SECONDS).code()).isEqualTo(ErrorCode.UNAVAILABLE);
            long begin = System.nanoTime();
            for (int i = 0; i < 20; i++) {
                assertThatThrownBy(() -> remote.call(known, "list", TestingControl.object("{}")))
                        .isInstanceOfSatisfying(BoxdException.class, e -> {
                            assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE);
                            assertThat(e.hint()).contains("boxd serve --roles=control,worker");
                        });
            }
            assertThat(TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin))
                    .isLessThan(3);
            assertThat(remote.obstacle().orElseThrow()).contains("does not reach control");
            remote.refused(stranger(), "GET /", new BoxdException(ErrorCode.UNAUTHENTICATED, "no token"));
        }
        awaitNoHold();
        inside.begin();
        awaitBack();
        assertThat(call("ps", "{'box':'a'}").get(0).path("status").asString()).isEqualTo("running");
        assertThat(remote.obstacle()).isEmpty();
    }

    /** What was remembered of the last failure holds for a moment. */
    private void awaitBack() {
        var deadline = soon();
        while (remote.obstacle().isPresent()) {
            assertThat(deadline.passed()).as("the door reaches control again").isFalse();
            Thread.onSpinWait();
        }
    }

    @Test
    void whatADoorHeldIsLetGoWhenItDies() {
        try (RemoteControl other = inside.door(Set.of("api"))) {
            Caller caller = other.identify(stranger(), new Credential.Token(TestingAccounts.ADMINISTRATORS_TOKEN));
            ExecutionStream stream =
                    other.exec(caller, TestingControl.object("{'box':'a','stdin':true,'argv':['cat']}"));
            assertThat(stream.takesInput()).isTrue();
            assertThat(house.boxes().openHolds()).isPositive();
        }
        awaitNoHold();
        assertThat(call("list", "{}")).as("others notice nothing").hasSize(1);
    }

    /** A door says what it was shown; that somebody is known to it counts for nothing. */
    @Test
    void aDoorCannotInventSomebody() {
        Caller invented = new Caller(ada().who(), Optional.empty(), "http", "192.0.2.7", Optional.empty());
        assertThatThrownBy(() -> remote.call(invented, "list", TestingControl.object("{}")))
                .isInstanceOfSatisfying(
                        BoxdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAUTHENTICATED));
    }

    /** Keys are shown at the door for SSH; the red control is such a door, which is believed. */
    @Test
    void onlyTheDoorForKeysSpeaksForThem() {
        Credential key = new Credential.Key("SHA256:ada");
        assertThatThrownBy(() -> remote.identify(stranger(), key))
                .isInstanceOfSatisfying(
                        BoxdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PERMISSION_DENIED));
        try (RemoteControl ssh = inside.door(Set.of("ssh"))) {
            assertThat(ssh.identify(stranger(), key).principal().name()).isEqualTo("ada");
        }
    }
}
