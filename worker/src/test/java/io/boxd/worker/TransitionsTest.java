package io.boxd.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.vmm.EndReason;
import io.boxd.worker.LifeStep.Act;
import io.boxd.worker.LifeStep.Go;
import io.boxd.worker.LifeStep.Refused;
import io.boxd.worker.LifeStep.Stay;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Every event in every state. */
@Tag("unit")
class TransitionsTest {
    private static final Set<Act> NEED_A_MACHINE = EnumSet.of(Act.PAUSE, Act.RESUME, Act.REST, Act.BOOT_AGAIN);

    private static List<LifeEvent> events() {
        List<LifeEvent> all = new ArrayList<>();
        for (Move move : Move.values()) {
            all.add(new LifeEvent.Asked(move));
        }
        for (EndReason reason : EndReason.values()) {
            all.add(new LifeEvent.Ended(reason));
        }
        all.add(new LifeEvent.Used());
        all.add(new LifeEvent.Idle());
        all.add(new LifeEvent.Unneeded());
        all.add(new LifeEvent.Made());
        all.add(new LifeEvent.NotMade());
        all.add(new LifeEvent.Discarded());
        return all;
    }

    @Test
    void eachPairHasAStepThatMakesSense() {
        int steps = 0;
        for (Life state : Life.values()) {
            for (LifeEvent event : events()) {
                LifeStep step = Transitions.next(state, event);
                String what = state + " × " + event + " → " + step;
                if (step instanceof Go(Act act, Life to)) {
                    steps++;
                    assertThat(to != state || act == Act.REBOOT || act == Act.BOOT_AGAIN)
                            .as(what)
                            .isTrue();
                    assertThat(!NEED_A_MACHINE.contains(act) || state.hasMachine())
                            .as(what)
                            .isTrue();
                    assertThat(act != Act.WAKE || state == Life.HIBERNATED)
                            .as(what)
                            .isTrue();
                    assertThat(act != Act.BOOT || !state.hasMachine()).as(what).isTrue();
                    assertThat(to).as(what).isNotEqualTo(Life.STARTING).isNotEqualTo(Life.DORMANT);
                    assertThat((to == Life.DESTROYED) == (act == Act.DISCARD))
                            .as(what)
                            .isTrue();
                }
                if (step instanceof Refused refused) {
                    assertThat(event).as(what).isInstanceOfAny(LifeEvent.Asked.class, LifeEvent.Used.class);
                    assertThat(refused.exception("box").hint()).as(what).isNotBlank();
                }
            }
        }
        assertThat(steps).isGreaterThan(30);
    }

    /** Whoever asks for something twice gets it once. */
    @Test
    void askingAgainChangesNothing() {
        for (Life state : Life.values()) {
            for (Move move : Move.values()) {
                LifeEvent asked = new LifeEvent.Asked(move);
                if (Transitions.next(state, asked) instanceof Go(Act _, Life to) && move != Move.REBOOT) {
                    assertThat(Transitions.next(to, asked))
                            .as(state + " × " + move)
                            .isEqualTo(new Stay());
                }
            }
        }
    }

    @Test
    void destroyedIsForGood() {
        for (LifeEvent event : events()) {
            assertThat(Transitions.next(Life.DESTROYED, event)).as("" + event).isNotInstanceOf(Go.class);
        }
    }

    /** From everywhere but the end there is a way to a box that runs. */
    @Test
    void everythingCanRunAgain() {
        for (Life state : Life.values()) {
            if (state != Life.DESTROYED && state != Life.STARTING && state != Life.RUNNING) {
                assertThat(Transitions.next(state, new LifeEvent.Asked(Move.START)))
                        .isInstanceOfSatisfying(
                                Go.class, go -> assertThat(go.to()).isEqualTo(Life.RUNNING));
            }
        }
        assertThat(Transitions.next(Life.STARTING, new LifeEvent.Made())).isEqualTo(new Go(Act.NOTED, Life.RUNNING));
    }

    @Test
    void aGuestThatEndsItselfLeadsWhereItMeantTo() {
        assertThat(Transitions.next(Life.RUNNING, new LifeEvent.Ended(EndReason.POWERED_OFF)))
                .isEqualTo(new Go(Act.REST, Life.STOPPED));
        assertThat(Transitions.next(Life.RUNNING, new LifeEvent.Ended(EndReason.REBOOT_REQUESTED)))
                .isEqualTo(new Go(Act.BOOT_AGAIN, Life.RUNNING));
        for (EndReason bad : List.of(EndReason.PANICKED, EndReason.PROCESS_DIED)) {
            assertThat(Transitions.next(Life.STANDBY, new LifeEvent.Ended(bad)))
                    .isEqualTo(new Go(Act.REST, Life.FAILED));
        }
    }
}
