package io.boxd.verbs;

import static io.boxd.verbs.Parameter.word;
import static io.boxd.verbs.SharedParameters.BOX;

import java.util.List;

/** Verbs that put boxes to sleep, wake them, and tell why. */
final class SleepVerbs {
    static final List<Verb> ALL = List.of(
            move("pause", "put a box in standby, its memory kept"),
            move("resume", "let a box in standby go on"),
            move("hibernate", "put a box's memory on disk"),
            move("wake", "wake a box, however it sleeps"),
            move("stop", "shut a box down; its disk stays"),
            move("start", "boot a stopped or failed box from its disk"),
            move("reboot", "shut a box down and boot it again"),
            Verb.of(
                    Topic.SLEEP,
                    "idle",
                    "when a box goes to standby",
                    Route.post("/boxes/{box}/idle"),
                    List.of(
                            BOX,
                            word("time", ParameterType.DURATION_OR_OFF, "a duration, or off")
                                    .shownAs("TIME|off")
                                    .as("idle_after_s")),
                    "idle task-1 5m"),
            Verb.of(
                    Topic.SLEEP,
                    "busy",
                    "keep a box awake for a while",
                    Route.post("/boxes/{box}/busy"),
                    List.of(
                            BOX,
                            word("time", ParameterType.DURATION, "for how long").as("for_s")),
                    "busy task-1 20m"),
            Verb.of(
                    Topic.SLEEP,
                    "why",
                    "what keeps a box awake, or what put it to sleep",
                    Route.get("/boxes/{box}/why"),
                    List.of(BOX),
                    "why task-1"));

    private SleepVerbs() {}

    private static Verb move(String name, String summary) {
        return Verb.of(Topic.SLEEP, name, summary, Route.post("/boxes/{box}/" + name), List.of(BOX), name + " task-1");
    }
}
