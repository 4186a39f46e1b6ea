package io.boxd.ssh;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** How many connections there may be, and from whom none is taken. */
@Tag("unit")
final class GateTest {
    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.EPOCH);
    private final Gate gate = new Gate(now::get);

    private static Source source(String address) {
        return Source.of(InetAddress.ofLiteral(address));
    }

    private Gate.Pass admit(String address) {
        return Objects.requireNonNull(gate.admit(source(address)), "refused");
    }

    private void fail(String address) {
        admit(address).over();
    }

    @Test
    void strangersOfOneSourceAreFewAndTheOthersDoNotSuffer() {
        List<Gate.Pass> strangers = new ArrayList<>();
        for (int i = 0; i < SshLimits.STRANGERS_OF_A_SOURCE; i++) {
            strangers.add(admit("192.0.2.1"));
        }
        assertThat(gate.admit(source("192.0.2.1"))).isNull();
        admit("192.0.2.2").known();
        strangers.getFirst().known();
        admit("192.0.2.1");
        assertThat(gate.admit(source("192.0.2.1"))).isNull();
    }

    @Test
    void strangersAreFewInAll() {
        for (int i = 0; i < SshLimits.STRANGERS; i++) {
            admit("192.0.2." + (i / 10));
        }
        assertThat(gate.admit(source("198.51.100.1"))).isNull();
    }

    @Test
    void whoFailsTooOftenStaysAwayLongerEachTime() {
        for (int i = 0; i < SshLimits.FREE_FAILURES; i++) {
            fail("192.0.2.1");
        }
        Duration penalty = SshLimits.FIRST_PENALTY;
        for (int i = 0; i < 4; i++) {
            fail("192.0.2.1");
            assertThat(gate.admit(source("192.0.2.1"))).isNull();
            now.set(now.get().plus(penalty.minusMillis(1)));
            assertThat(gate.admit(source("192.0.2.1"))).isNull();
            now.set(now.get().plusMillis(1));
            penalty = penalty.multipliedBy(2);
        }
        assertThat(gate.admit(source("192.0.2.2"))).isNotNull();
        assertThat(Gate.penalty(1000)).isEqualTo(SshLimits.LONGEST_PENALTY);
        fail("192.0.2.1");
        now.set(now.get().plus(SshLimits.FORGET_AFTER).plusSeconds(1));
        fail("192.0.2.1");
        assertThat(gate.admit(source("192.0.2.1"))).isNotNull();
    }

    @Test
    void whoHasShownAKeyHasNotFailed() {
        for (int i = 0; i < 10 * SshLimits.FREE_FAILURES; i++) {
            Gate.Pass pass = admit("192.0.2.1");
            pass.known();
            pass.over();
        }
        assertThat(gate.connections()).isZero();
    }

    @Test
    void aNetworkOfIpv6IsOneSource() {
        assertThat(source("2001:db8::1")).isEqualTo(source("2001:db8::ffff:1"));
        assertThat(source("2001:db8::1")).isNotEqualTo(source("2001:db8:0:1::1"));
    }
}
