package io.boxd.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.linux.Command;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The life of wires: made ahead, handed out, adopted, and gone without a trace. */
@Tag("host")
class WiresTest {
    private static final int MANY = TestingHost.LONG ? 50 : 6;

    private TestingHost host;

    @BeforeEach
    void open() {
        host = TestingHost.open();
    }

    @AfterEach
    void close() {
        host.close();
    }

    @Test
    void nothingIsLeft() {
        Wires wires = host.open(2);
        wires.awaitPool(Deadline.inSeconds(60));
        List<Wire> taken = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            taken.add(wires.take());
        }
        assertThat(taken.stream().map(Wire::address)).doesNotHaveDuplicates();
        assertThat(host.traces()).hasSizeGreaterThan(MANY);
        taken.forEach(wires::giveBack);
        wires.close();
        assertThat(host.traces()).isEmpty();
        assertThat(Switches.get("ipv4/conf/" + host.uplink() + "/forwarding"))
                .as("left on only for other instances of this host")
                .isEqualTo(otherInstances() ? "1" : "0");
        assertThat(ownersInRegistry()).doesNotContain(host.home().toString());
    }

    private static boolean otherInstances() {
        return Interfaces.names().stream()
                .anyMatch(name -> name.startsWith(WireNames.ANY_WIRE) && name.endsWith("-gw"));
    }

    private static List<String> ownersInRegistry() {
        // Through another process: one that closes a locked file gives up its locks.
        return Command.of("grep", "-rhs", "", TestingHost.REGISTRY.toString())
                .run(Deadline.inSeconds(5))
                .output()
                .lines()
                .toList();
    }

    @Test
    void theNextServerAdoptsWhatIsThereAndRemovesWhatNobodyClaims() {
        Wires first = host.open(0);
        Wire claimed = first.take();
        Wire forgotten = first.take();
        Wire slept = first.take();
        Watch watched = first.watch(slept, knock -> {});
        first.giveBack(slept);
        try (TestingMachine machine = TestingMachine.on(claimed)) {
            first.close();
            assertThat(Files.exists(claimed.namespace())).isTrue();
            machine.send(Frames.ip(Frames.ping(TestingHost.WORLD)));
            assertThat(machine.receiveIp(Frames.ICMP, Deadline.inSeconds(5)))
                    .as("without a server")
                    .isPresent();
            Wires second = host.open(0);
            assertThat(second.unclaimed().stream().map(Wire::id))
                    .containsExactlyInAnyOrder(claimed.id(), forgotten.id());
            Wire adopted = second.adopt(claimed.id()).orElseThrow();
            Watch again = second.watch(watched.addresses(), knock -> {});
            second.removeUnclaimed();
            assertThat(Files.exists(forgotten.namespace())).isFalse();
            assertThat(second.take().address()).isNotIn(adopted.address(), slept.address());
            machine.send(Frames.ip(Frames.ping(TestingHost.WORLD)));
            assertThat(machine.receiveIp(Frames.ICMP, Deadline.inSeconds(5)))
                    .as("adopted")
                    .isPresent();
            second.abandon(again);
            second.giveBack(adopted);
        }
    }

    /** A wire that somebody has tampered with is mended before it is given to anyone. */
    @Test
    void rulesThatAreMissingAreRestoredOnAdoption() {
        Wires first = host.open(0);
        Wire wire = first.take();
        first.close();
        NetworkTools.prompt().nftIn(wire.namespace(), "flush ruleset\n", Deadline.inSeconds(5));
        Wires second = host.open(0);
        Wire adopted = second.adopt(wire.id()).orElseThrow();
        try (TestingMachine machine = TestingMachine.on(adopted)) {
            machine.send(Frames.ip(Frames.udp("192.168.1.1", 9)));
            machine.send(Frames.ip(Frames.ping(TestingHost.WORLD)));
            assertThat(machine.receiveIp(Frames.ICMP, Deadline.inSeconds(5))).isPresent();
            assertThat(adopted.traffic().dropped(Drop.FORBIDDEN)).isEqualTo(1);
        }
        second.giveBack(adopted);
    }

    /** Rules first: a wire whose rules are not all there is never raised, never handed out, and removed. */
    @Test
    void aWireWhoseRulesCannotBeConfirmedIsNotHandedOut() {
        Wires wires = host.open(0);
        AddressBlock block = wires.block();
        for (String missing : List.of("spoofed-ip", "forbidden", "as-wire")) {
            WireMaker careless =
                    new WireMaker(host.names(), block, host.config(0, List.of()), rules -> rules.without(missing));
            assertThatThrownBy(() -> careless.make(NetworkTools.prompt(), Deadline.inSeconds(20)))
                    .isInstanceOf(BoxdException.class)
                    .hasMessageContaining("are not as they should be");
            assertThat(host.names().namespaceSlots()).isEmpty();
            assertThat(host.names().interfaceSlots()).isEmpty();
        }
    }

    @Test
    void severalInstancesAtATimeShareNothing() {
        try (TestingHost other = TestingHost.open()) {
            Wires one = host.open(0);
            Wires two = other.open(0);
            assertThat(one.range()).isNotEqualTo(two.range());
            Wire mine = one.take();
            Wire theirs = two.take();
            try (TestingMachine here = TestingMachine.on(mine);
                    TestingMachine there = TestingMachine.on(theirs)) {
                here.send(Frames.ip(Frames.ping(TestingHost.WORLD)));
                assertThat(here.receiveIp(Frames.ICMP, Deadline.inSeconds(5))).isPresent();
                there.send(Frames.ip(Frames.ping(TestingHost.WORLD)));
                assertThat(there.receiveIp(Frames.ICMP, Deadline.inSeconds(5))).isPresent();
            }
            one.giveBack(mine);
            one.close();
            assertThat(host.traces()).isEmpty();
            // What is left of the first does not matter to the second.
            try (TestingMachine there = TestingMachine.on(theirs)) {
                there.send(Frames.ip(Frames.ping(TestingHost.WORLD)));
                assertThat(there.receiveIp(Frames.ICMP, Deadline.inSeconds(5))).isPresent();
            }
            two.giveBack(theirs);
        }
    }

    @Test
    void twoServersInOneHomeAreRefused() {
        host.open(0);
        assertThatThrownBy(() -> host.open(0)).hasMessageContaining("another boxd runs in");
    }
}
