package io.boxd.verbs;

import static io.boxd.verbs.Parameter.flag;
import static io.boxd.verbs.Parameter.option;
import static io.boxd.verbs.Parameter.optionalWord;
import static io.boxd.verbs.SharedParameters.BOX;
import static io.boxd.verbs.SharedParameters.LABEL;
import static io.boxd.verbs.SharedParameters.ORGANISATION;
import static io.boxd.verbs.SharedParameters.SHARED;
import static io.boxd.verbs.SharedParameters.SNAPSHOT;

import java.util.List;

/** Verbs about snapshots, forks and going back. */
final class TimeVerbs {
    static final List<Verb> ALL = List.of(
            Verb.of(
                            Topic.TIME,
                            "fork",
                            "copy a running box, memory and processes included",
                            Route.post("/boxes/{box}/fork"),
                            List.of(
                                    BOX,
                                    option("name", ParameterType.NAME, "NAME", "the copy's name"),
                                    option(
                                            "count",
                                            ParameterType.COUNT,
                                            "K",
                                            "so many copies of one instant: NAME-1 to NAME-K"),
                                    flag("paused", "leave the copies in standby"),
                                    LABEL,
                                    SHARED,
                                    ORGANISATION),
                            "fork task-1 --name=task-1-attempt-2")
                    .creating(),
            Verb.of(
                            Topic.TIME,
                            "snapshot save",
                            "keep this instant of a box",
                            Route.post("/boxes/{box}/snapshots"),
                            List.of(
                                    BOX,
                                    option("as", ParameterType.NAME, "LABEL", "a label; then it outlives the box")
                                            .as("label")),
                            "snapshot save task-1 --as clean")
                    .creating(),
            Verb.of(
                            Topic.TIME,
                            "snapshot list",
                            "list snapshots",
                            Route.get("/snapshots"),
                            List.of(optionalWord("box", ParameterType.BOX, "only those of this box")),
                            "snapshot list task-1")
                    .also("snapshot ls"),
            Verb.of(
                    Topic.TIME,
                    "snapshot show",
                    "everything about a snapshot",
                    Route.get("/snapshots/{snapshot}"),
                    List.of(SNAPSHOT),
                    "snapshot show clean"),
            Verb.of(
                    Topic.TIME,
                    "snapshot rm",
                    "delete a snapshot",
                    Route.delete("/snapshots/{snapshot}"),
                    List.of(SNAPSHOT),
                    "snapshot rm clean"),
            Verb.of(
                            Topic.TIME,
                            "rollback",
                            "make a box what it was; the state it leaves is kept",
                            Route.post("/boxes/{box}/rollback"),
                            List.of(
                                    BOX,
                                    optionalWord("snapshot", ParameterType.SNAPSHOT, "back to this one"),
                                    option("before", ParameterType.EXECUTION, "EXEC", "back to before this execution")),
                            "rollback task-1 --before ex_4f0c")
                    .with(Rule.exactlyOne("snapshot", "before")),
            Verb.of(
                    Topic.TIME,
                    "timeline",
                    "the tree of a box's snapshots and forks",
                    Route.get("/boxes/{box}/timeline"),
                    List.of(BOX),
                    "timeline task-1"),
            Verb.of(
                    Topic.TIME,
                    "promote",
                    "let a fork's parent take the fork's state",
                    Route.post("/boxes/{box}/promote"),
                    List.of(BOX),
                    "promote task-1-attempt-2"));

    private TimeVerbs() {}
}
