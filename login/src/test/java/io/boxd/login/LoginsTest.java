package io.boxd.login;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
final class LoginsTest {
    private static final Person ALICE = new Person("i", "alice", Optional.empty(), Optional.empty(), List.of());

    private Instant now = Instant.parse("2026-01-01T12:00:00Z");
    private final Deque<Progress> answers = new ArrayDeque<>();
    private int polls;

    private final Issuer issuer = new Issuer() {
        @Override
        public DeviceCode begin(Deadline deadline) {
            return new DeviceCode("d", "n", "CODE", "a", "b", Duration.ofMinutes(10), Duration.ofSeconds(5));
        }

        @Override
        public Progress poll(DeviceCode code, Deadline deadline) {
            polls++;
            return answers.removeFirst();
        }
    };

    private final Logins logins = new Logins(issuer, ((InstantSource) () -> now).withZone(ZoneOffset.UTC));

    private static Deadline soon() {
        return Deadline.inSeconds(10);
    }

    private static void assertGone(Runnable asking) {
        assertThatThrownBy(asking::run)
                .isInstanceOfSatisfying(
                        BoxdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_FOUND));
    }

    @Test
    void theIssuerIsAskedNoMoreOftenThanItLikes() {
        Logins.Begun begun = logins.begin(soon());
        assertThat(begun.handle()).hasSize(64);
        answers.add(new Progress.Pending(true));
        for (int asked = 0; asked < 5; asked++) {
            assertThat(logins.ask(begun.handle(), soon())).isInstanceOf(Progress.Pending.class);
        }
        assertThat(polls).isEqualTo(1);
        now = now.plusSeconds(9);
        logins.ask(begun.handle(), soon());
        assertThat(polls).as("it asked for more time").isEqualTo(1);
        now = now.plusSeconds(1);
        answers.add(new Progress.Done(ALICE));
        assertThat(logins.ask(begun.handle(), soon())).isEqualTo(new Progress.Done(ALICE));
        assertGone(() -> logins.ask(begun.handle(), soon()));
    }

    @Test
    void aLoginEndsAndOthersAreNotTouched() {
        Logins.Begun one = logins.begin(soon());
        Logins.Begun two = logins.begin(soon());
        assertThat(one.handle()).isNotEqualTo(two.handle());
        answers.add(new Progress.Failed("declined"));
        assertThat(logins.ask(one.handle(), soon())).isInstanceOf(Progress.Failed.class);
        assertGone(() -> logins.ask(one.handle(), soon()));
        assertGone(() -> logins.ask("0".repeat(64), soon()));
        now = now.plus(Duration.ofMinutes(10));
        assertGone(() -> logins.ask(two.handle(), soon()));
        assertThat(polls).isEqualTo(1);
    }

    @Test
    void onlySoManyAreBegun() {
        for (int begun = 0; begun < 1000; begun++) {
            logins.begin(soon());
        }
        assertThatThrownBy(() -> logins.begin(soon()))
                .isInstanceOfSatisfying(
                        BoxdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.RESOURCE_EXHAUSTED));
        now = now.plus(Duration.ofMinutes(10));
        assertThat(logins.begin(soon()).userCode()).isEqualTo("CODE");
    }
}
