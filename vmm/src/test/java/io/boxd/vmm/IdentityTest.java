package io.boxd.vmm;

import static io.boxd.vmm.TestHouse.sh;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.guest.RenewalStep;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What children of one source must never share, and what happens to one that does not renew it. */
@Tag("machine")
class IdentityTest {
    /** RNDRESEEDCRNG of linux/random.h. */
    private static final int RESEED = 0x5207;

    private static final int DRAWS = 400;
    private static final String DRAW =
            "python3 -c 'import os; [print(os.urandom(16).hex()) for i in range(" + DRAWS + ")]'";

    private static final int CHILDREN = TestHouse.LONG ? 32 : 4;

    private final TestHouse house = TestHouse.get();

    @Test
    void childrenOfOneInstantDifferInEverythingThatMustBeUnique() {
        try (Machine source = house.start(house.tinyBase())) {
            List<Machine> children = house.fork(source, CHILDREN);
            try {
                List<Machine> all =
                        Stream.concat(Stream.of(source), children.stream()).toList();
                for (String field : List.of(
                        "head -c 16 /dev/urandom | od -An -tx1",
                        "cat /etc/machine-id",
                        "cat /proc/sys/kernel/random/boot_id",
                        "hostname")) {
                    assertThat(all.stream().map(machine -> sh(machine, field)).distinct())
                            .as(field)
                            .hasSize(all.size());
                }
                assertThat(sh(children.getFirst(), "cat /run/boxd/generation")).isEqualTo("2");
            } finally {
                children.forEach(Machine::close);
            }
        }
    }

    @Test
    void hooksRunInTheChildBeforeItIsHandedOut() {
        try (Machine source = house.start(house.tinyBase())) {
            sh(
                    source,
                    "printf '#!/bin/sh\\ncat /run/boxd/generation > /tmp/hooked\\n' > /etc/boxd/on-fork.d/10-mark"
                            + " && chmod +x /etc/boxd/on-fork.d/10-mark");
            try (Machine child = house.fork(source)) {
                assertThat(sh(child, "cat /tmp/hooked")).isEqualTo("2");
                assertThat(sh(source, "ls /tmp")).doesNotContain("hooked");
            }
        }
    }

    @Test
    void redControlWithoutReseedingChildrenShareTheirRandomness() throws Exception {
        Path home = Files.createTempDirectory("boxd-test-");
        EngineConfig config =
                TestHouse.config(home, house.engine().config().cache(), TestHouse.release("boxd-launcher"));
        EnumSet<RenewalStep> noReseed = EnumSet.complementOf(EnumSet.of(RenewalStep.RNG));
        try (Engine careless = Engine.open(
                        config,
                        new TransientRecord(),
                        Uplinks.none(),
                        Accelerator.TCG,
                        new Safeguards(noReseed, true, true),
                        Deadline.inSeconds(30));
                Machine source =
                        careless.start(house.debianBase(), Identity.fresh("source", 1), Deadline.inSeconds(30))) {
            // The guest's kernel stirs in new randomness by itself now and then, the more often the younger it
            // is: one of several tries shows it, each made right after it has done so.
            assertThat(IntStream.range(0, 8).anyMatch(i -> childrenShareRandomness(careless, source)))
                    .isTrue();
        } finally {
            TestHouse.deleteHome(home);
        }
    }

    /**
     * Whether any of many draws in one child is also one in another: with a shared generator they are steps of the
     * same chain, though others in each child may have taken some of the steps.
     */
    private static boolean childrenShareRandomness(Engine engine, Machine source) {
        List<Identity> identities = IntStream.range(0, 3)
                .mapToObj(i -> Identity.fresh("child-" + i, 2))
                .toList();
        sh(source, "python3 -c \"import fcntl; fcntl.ioctl(open('/dev/urandom'), " + RESEED + ")\"");
        List<Machine> children =
                engine.fork(source, identities, Deadline.inSeconds(60)).machines();
        try {
            List<String> draws =
                    children.stream().flatMap(child -> sh(child, DRAW).lines()).toList();
            assertThat(draws).hasSize(DRAWS * children.size());
            return draws.stream().distinct().count() < draws.size();
        } finally {
            children.forEach(Machine::close);
        }
    }

    @Test
    void aForkWhoseAgentDoesNotAnswerIsDestroyedAndReported() {
        try (Machine source = house.start(house.debianBase())) {
            sh(source, "sleep 1 && kill -STOP $(pidof agent boxd-agent) >/dev/null 2>&1 &");
            TestHouse.await(java.time.Duration.ofSeconds(20), () -> !answers(source));
            int before = cells();
            assertThatThrownBy(() ->
                            house.engine().fork(source, List.of(Identity.fresh("mute", 2)), Deadline.inSeconds(5)))
                    .isInstanceOf(BoxdException.class)
                    .extracting(e -> ((BoxdException) e).code())
                    .isEqualTo(ErrorCode.TIMEOUT);
            assertThat(cells()).isEqualTo(before);
            assertThat(source.state()).isEqualTo(Machine.State.RUNNING);
        }
    }

    private static boolean answers(Machine machine) {
        try {
            machine.agent().ping(Deadline.inMillis(1500));
            return true;
        } catch (BoxdException e) {
            return false;
        }
    }

    private int cells() {
        String[] names = house.engine().config().cells().toFile().list();
        return names == null ? 0 : names.length;
    }
}
