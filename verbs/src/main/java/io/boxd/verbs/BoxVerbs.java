package io.boxd.verbs;

import static io.boxd.verbs.Parameter.flag;
import static io.boxd.verbs.Parameter.option;
import static io.boxd.verbs.Parameter.word;
import static io.boxd.verbs.SharedParameters.BOX;
import static io.boxd.verbs.SharedParameters.CPUS;
import static io.boxd.verbs.SharedParameters.DISK;
import static io.boxd.verbs.SharedParameters.ENVIRONMENT;
import static io.boxd.verbs.SharedParameters.IDLE;
import static io.boxd.verbs.SharedParameters.LABEL;
import static io.boxd.verbs.SharedParameters.MEMORY;
import static io.boxd.verbs.SharedParameters.ORGANISATION;
import static io.boxd.verbs.SharedParameters.SHARED;

import java.util.List;

/** Verbs that make, show, change and end boxes. */
final class BoxVerbs {
    static final List<Verb> ALL = List.of(
            Verb.of(
                            Topic.BOXES,
                            "new",
                            "make a box",
                            Route.post("/boxes"),
                            List.of(
                                    option("name", ParameterType.NAME, "NAME", "its name; one is made up otherwise"),
                                    option("image", ParameterType.TEXT, "IMAGE", "what it starts from (base)"),
                                    option("from", ParameterType.SNAPSHOT, "SNAPSHOT", "start from a snapshot instead"),
                                    CPUS,
                                    MEMORY,
                                    DISK,
                                    ENVIRONMENT,
                                    LABEL,
                                    IDLE,
                                    option(
                                                    "hibernate-after",
                                                    ParameterType.DURATION_OR_OFF,
                                                    "TIME|off",
                                                    "hibernation after so long in standby")
                                            .as("hibernate_after_s"),
                                    option("ttl", ParameterType.DURATION, "TIME", "destroyed after so long")
                                            .as("ttl_s"),
                                    option(
                                            "checkpoint-every",
                                            ParameterType.CHECKPOINTS,
                                            "TIME|exec|off",
                                            "checkpoints: every so often, or each command"),
                                    SHARED,
                                    ORGANISATION,
                                    flag("no-wait", "return at once instead of when a command can be run")),
                            "new --name=task-1",
                            "new --memory 2G --ttl 2h --label job=nightly")
                    .creating()
                    .with(Rule.atMostOne("image", "from")),
            Verb.of(
                            Topic.BOXES,
                            "list",
                            "list boxes",
                            Route.get("/boxes"),
                            List.of(flag("all", "those that failed or are stopped, too"), LABEL),
                            "list",
                            "list --label job=nightly --json")
                    .also("ls"),
            Verb.of(
                    Topic.BOXES,
                    "info",
                    "everything about a box",
                    Route.get("/boxes/{box}"),
                    List.of(BOX),
                    "info task-1"),
            Verb.of(
                    Topic.BOXES,
                    "rename",
                    "give a box another name",
                    Route.post("/boxes/{box}/rename"),
                    List.of(
                            BOX,
                            word("new", ParameterType.NAME, "its name from now on")
                                    .as("name")),
                    "rename task-1 golden"),
            Verb.of(
                    Topic.BOXES,
                    "label",
                    "put labels on a box, or take them off",
                    Route.post("/boxes/{box}/label"),
                    List.of(
                            BOX,
                            word("k=v…", ParameterType.LABEL_CHANGES, "k=v puts on, k- takes off")
                                    .as("labels")),
                    "label task-1 job=nightly team-"),
            Verb.of(
                            Topic.BOXES,
                            "resize",
                            "change a box's size; cpus and memory restart it",
                            Route.post("/boxes/{box}/resize"),
                            List.of(BOX, CPUS, MEMORY, DISK),
                            "resize task-1 --memory 4G")
                    .with(Rule.atLeastOne("cpus", "memory_bytes", "disk_bytes")),
            Verb.of(
                            Topic.BOXES,
                            "destroy",
                            "destroy boxes, without asking",
                            Route.post("/destroy"),
                            List.of(
                                    word("box…", ParameterType.BOXES, "the boxes, by name or id")
                                            .as("boxes"),
                                    flag("tree", "their forks, too")),
                            "destroy task-1 task-2")
                    .also("rm"),
            Verb.of(Topic.BOXES, "top", "what boxes use", Route.get("/top"), List.of(), "top"));

    private BoxVerbs() {}
}
