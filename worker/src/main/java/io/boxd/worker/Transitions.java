package io.boxd.worker;

import io.boxd.vmm.EndReason;
import io.boxd.worker.LifeStep.Act;
import io.boxd.worker.LifeStep.Go;
import io.boxd.worker.LifeStep.Refused;
import io.boxd.worker.LifeStep.Stay;

/**
 * The life of a box: what every event means in every state.
 *
 * <pre>
 *                                   ┌──── use, resume, wake ────┐
 *                                   ▼         idle, pause       │
 *   (new) → STARTING ──made──→ RUNNING ───────────────────→ STANDBY
 *              │                ▲ │ ▲ │                        │ unneeded, hibernate
 *              │ not made       │ │ │ └── hibernate ─┐         ▼
 *              │     start, boot│ │ └── use, wake ── HIBERNATED ◄┘
 *              ▼                │ │
 *           FAILED ◄── panic, ──┤ ├── stop, power off ──→ STOPPED
 *                   killed      │                            │
 *                               ├────────── start ───────────┘
 *           DORMANT ── use ─────┘          (a power cut in standby leads to DORMANT)
 *
 *   DESTROYED from everywhere, and for good
 * </pre>
 *
 * <p>A pure function: who calls it does what it says, under the box's lock.
 */
final class Transitions {
    private static final String START_HINT = "Start it: boxd start %1$s.";

    private Transitions() {}

    static LifeStep next(Life state, LifeEvent event) {
        return switch (event) {
            case LifeEvent.Asked(Move move) -> asked(state, move);
            case LifeEvent.Used _ -> used(state);
            case LifeEvent.Idle _ -> state == Life.RUNNING ? new Go(Act.PAUSE, Life.STANDBY) : new Stay();
            case LifeEvent.Unneeded _ -> state.hasMachine() ? new Go(Act.HIBERNATE, Life.HIBERNATED) : new Stay();
            case LifeEvent.Made _ -> state == Life.STARTING ? new Go(Act.NOTED, Life.RUNNING) : new Stay();
            case LifeEvent.NotMade _ -> state == Life.STARTING ? new Go(Act.NOTE, Life.FAILED) : new Stay();
            case LifeEvent.Ended(EndReason reason) -> state.hasMachine() ? ended(reason) : new Stay();
            case LifeEvent.Discarded _ -> state == Life.DESTROYED ? new Stay() : new Go(Act.DISCARD, Life.DESTROYED);
        };
    }

    private static LifeStep asked(Life state, Move move) {
        return switch (move) {
            case PAUSE -> pause(state);
            case RESUME, WAKE -> used(state);
            case HIBERNATE -> hibernate(state);
            case STOP -> stop(state);
            case START -> start(state);
            case REBOOT -> reboot(state);
        };
    }

    private static LifeStep used(Life state) {
        return switch (state) {
            case RUNNING -> new Stay();
            case STANDBY -> new Go(Act.RESUME, Life.RUNNING);
            case HIBERNATED -> new Go(Act.WAKE, Life.RUNNING);
            case DORMANT -> new Go(Act.BOOT, Life.RUNNING);
            case STARTING -> starting();
            case STOPPED -> new Refused("is stopped", START_HINT);
            case FAILED -> new Refused("has failed", "See why: boxd info %1$s. " + START_HINT);
            case DESTROYED -> destroyed();
        };
    }

    private static LifeStep pause(Life state) {
        return switch (state) {
            case RUNNING -> new Go(Act.PAUSE, Life.STANDBY);
            case STANDBY -> new Stay();
            case HIBERNATED ->
                new Refused("is hibernated, which is deeper than standby", "Wake it first: boxd wake %1$s.");
            case STARTING -> starting();
            case DORMANT, STOPPED, FAILED -> new Refused("does not run", START_HINT);
            case DESTROYED -> destroyed();
        };
    }

    private static LifeStep hibernate(Life state) {
        return switch (state) {
            case RUNNING, STANDBY -> new Go(Act.HIBERNATE, Life.HIBERNATED);
            case HIBERNATED -> new Stay();
            case STARTING -> starting();
            case DORMANT, STOPPED, FAILED -> new Refused("has no memory that could be kept", START_HINT);
            case DESTROYED -> destroyed();
        };
    }

    private static LifeStep stop(Life state) {
        return switch (state) {
            case RUNNING, STANDBY, HIBERNATED -> new Go(Act.SHUT_DOWN, Life.STOPPED);
            case STOPPED -> new Stay();
            case DORMANT, FAILED -> new Go(Act.NOTE, Life.STOPPED);
            case STARTING -> starting();
            case DESTROYED -> destroyed();
        };
    }

    private static LifeStep start(Life state) {
        return switch (state) {
            case RUNNING -> new Stay();
            case STANDBY -> new Go(Act.RESUME, Life.RUNNING);
            case HIBERNATED -> new Go(Act.WAKE, Life.RUNNING);
            case DORMANT, STOPPED, FAILED -> new Go(Act.BOOT, Life.RUNNING);
            case STARTING -> starting();
            case DESTROYED -> destroyed();
        };
    }

    private static LifeStep reboot(Life state) {
        return switch (state) {
            case RUNNING, STANDBY, HIBERNATED -> new Go(Act.REBOOT, Life.RUNNING);
            case DORMANT, STOPPED, FAILED -> new Go(Act.BOOT, Life.RUNNING);
            case STARTING -> starting();
            case DESTROYED -> destroyed();
        };
    }

    private static LifeStep ended(EndReason reason) {
        return switch (reason) {
            case POWERED_OFF -> new Go(Act.REST, Life.STOPPED);
            case REBOOT_REQUESTED -> new Go(Act.BOOT_AGAIN, Life.RUNNING);
            case PANICKED, PROCESS_DIED -> new Go(Act.REST, Life.FAILED);
            // We did it, and whoever did has the next step in hand.
            case DESTROYED -> new Stay();
        };
    }

    private static LifeStep starting() {
        return new Refused("is still starting", "Try again in a moment.");
    }

    private static LifeStep destroyed() {
        return new Refused("is destroyed", "Make a new one: boxd new.");
    }
}
