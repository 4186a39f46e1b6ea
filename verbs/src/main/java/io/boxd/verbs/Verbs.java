package io.boxd.verbs;

import static io.boxd.verbs.Parameter.flag;
import static io.boxd.verbs.Parameter.option;
import static io.boxd.verbs.Parameter.optionalWord;
import static io.boxd.verbs.Parameter.word;

import java.util.List;
import java.util.Optional;

/** The table of all verbs that a server answers; what a door does by itself is not here. */
public final class Verbs {
    private static final Parameter BOX = word("box", ParameterType.BOX, "the box, by name or id");
    private static final Parameter LABEL = option("label", ParameterType.LABELS, "K=V", "a label; may be repeated")
            .as("labels");
    private static final Parameter IDLE = option(
                    "idle", ParameterType.DURATION_OR_OFF, "TIME|off", "standby after so long without anything to do")
            .as("idle_after_s");
    private static final Parameter CPUS = option("cpus", ParameterType.COUNT, "N", "virtual processors");
    private static final Parameter MEMORY = option(
                    "memory", ParameterType.SIZE, "SIZE", "memory; costs only what is touched")
            .as("memory_bytes");
    private static final Parameter DISK = option("disk", ParameterType.SIZE, "SIZE", "disk; costs only what is written")
            .as("disk_bytes");
    private static final Parameter ENVIRONMENT = option(
                    "env", ParameterType.VARIABLES, "K=V", "a variable of the environment; may be repeated")
            .letter('e')
            .as("env");
    private static final Parameter EXECUTION =
            word("exec", ParameterType.EXECUTION, "the execution, by its id").as("exec_id");
    private static final Parameter SNAPSHOT = word("snapshot", ParameterType.SNAPSHOT, "the snapshot, by id or label");

    private static final List<Verb> ALL = List.of(
            new Verb(
                    "new",
                    List.of(),
                    "make a box",
                    Route.post("/boxes"),
                    List.of(
                            option("name", ParameterType.NAME, "NAME", "its name; one is made up if none is given"),
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
                                    "automatic checkpoints: by time, or before each command"),
                            flag("no-wait", "return at once instead of when a command can be run")),
                    List.of("new --name=task-1", "new --memory 2G --ttl 2h --label job=nightly")),
            new Verb(
                    "list",
                    List.of("ls"),
                    "list boxes",
                    Route.get("/boxes"),
                    List.of(flag("all", "those that failed or are stopped, too"), LABEL),
                    List.of("list", "list --label job=nightly --json")),
            boxVerb("info", "everything about a box", Route.get("/boxes/{box}"), List.of(BOX), "info task-1"),
            boxVerb(
                    "rename",
                    "give a box another name",
                    Route.post("/boxes/{box}/rename"),
                    List.of(
                            BOX,
                            word("new", ParameterType.NAME, "its name from now on")
                                    .as("name")),
                    "rename task-1 golden"),
            boxVerb(
                    "label",
                    "put labels on a box, or take them off",
                    Route.post("/boxes/{box}/label"),
                    List.of(
                            BOX,
                            word("k=v…", ParameterType.LABEL_CHANGES, "k=v puts on, k- takes off")
                                    .as("labels")),
                    "label task-1 job=nightly team-"),
            boxVerb(
                    "resize",
                    "change a box's size; cpus and memory restart it",
                    Route.post("/boxes/{box}/resize"),
                    List.of(BOX, CPUS, MEMORY, DISK),
                    "resize task-1 --memory 4G"),
            boxVerb(
                    "fork",
                    "copy a box while it runs, memory and processes included",
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
                            LABEL),
                    "fork task-1 --name=task-1-attempt-2"),
            boxVerb(
                    "exec",
                    "run a command in a box",
                    Route.socket("/boxes/{box}/exec"),
                    List.of(
                            BOX,
                            ENVIRONMENT,
                            option("cwd", ParameterType.TEXT, "DIR", "where it starts (/home/boxd)"),
                            option("user", ParameterType.TEXT, "USER", "whose command it is (boxd)"),
                            option("timeout", ParameterType.DURATION, "TIME", "kill it after so long; status 124")
                                    .as("timeout_s"),
                            flag("tty", "with a terminal").letter('t'),
                            flag("detach", "return its id at once; see logs, attach, kill")
                                    .letter('d'),
                            flag("checkpoint", "take a snapshot first; see rollback --before"),
                            word("command", ParameterType.WORDS, "one string for a shell, or a program and its words")),
                    "exec task-1 'cd /app && make | tee log'"),
            boxVerb("ps", "executions of a box", Route.get("/boxes/{box}/executions"), List.of(BOX), "ps task-1"),
            boxVerb(
                    "logs",
                    "what an execution, or the console, has said",
                    Route.socket("/boxes/{box}/logs"),
                    List.of(
                            BOX,
                            optionalWord("exec", ParameterType.EXECUTION, "the execution; the newest if none is given")
                                    .as("exec_id"),
                            flag("console", "the serial console instead"),
                            flag("follow", "go on with what comes").letter('f'),
                            option("since", ParameterType.DURATION, "TIME", "executions begun in this time only")
                                    .as("since_s")),
                    "logs task-1 -f"),
            boxVerb(
                    "attach",
                    "take part in an execution: see all of it, and type",
                    Route.socket("/boxes/{box}/executions/{exec_id}/attach"),
                    List.of(BOX, EXECUTION),
                    "attach task-1 ex_4f0c"),
            boxVerb(
                    "kill",
                    "signal an execution",
                    Route.post("/boxes/{box}/executions/{exec_id}/kill"),
                    List.of(BOX, EXECUTION, option("signal", ParameterType.SIGNAL, "SIGNAL", "which one (TERM)")),
                    "kill task-1 ex_4f0c --signal INT"),
            boxVerb("pause", "put a box in standby, its memory kept", move("pause"), List.of(BOX), "pause task-1"),
            boxVerb("resume", "let a box in standby go on", move("resume"), List.of(BOX), "resume task-1"),
            boxVerb("hibernate", "put a box's memory on disk", move("hibernate"), List.of(BOX), "hibernate task-1"),
            boxVerb("wake", "wake a box, however it sleeps", move("wake"), List.of(BOX), "wake task-1"),
            boxVerb("stop", "shut a box down; its disk stays", move("stop"), List.of(BOX), "stop task-1"),
            boxVerb("start", "boot a stopped or failed box from its disk", move("start"), List.of(BOX), "start task-1"),
            boxVerb("reboot", "shut a box down and boot it again", move("reboot"), List.of(BOX), "reboot task-1"),
            boxVerb(
                    "snapshot save",
                    "keep this instant of a box",
                    Route.post("/boxes/{box}/snapshots"),
                    List.of(
                            BOX,
                            option("as", ParameterType.NAME, "LABEL", "a label; then it outlives the box")
                                    .as("label")),
                    "snapshot save task-1 --as clean"),
            boxVerb(
                    "snapshot list",
                    "list snapshots",
                    Route.get("/snapshots"),
                    List.of(optionalWord("box", ParameterType.BOX, "only those of this box")),
                    "snapshot list task-1"),
            boxVerb(
                    "snapshot show",
                    "everything about a snapshot",
                    Route.get("/snapshots/{snapshot}"),
                    List.of(SNAPSHOT),
                    "snapshot show clean"),
            boxVerb(
                    "snapshot rm",
                    "delete a snapshot",
                    Route.delete("/snapshots/{snapshot}"),
                    List.of(SNAPSHOT),
                    "snapshot rm clean"),
            boxVerb(
                    "rollback",
                    "make a box what it was; the state it leaves is kept",
                    Route.post("/boxes/{box}/rollback"),
                    List.of(
                            BOX,
                            optionalWord("snapshot", ParameterType.SNAPSHOT, "back to this one"),
                            option("before", ParameterType.EXECUTION, "EXEC", "back to before this execution")),
                    "rollback task-1 --before ex_4f0c"),
            boxVerb(
                    "timeline",
                    "the tree of a box's snapshots and forks",
                    Route.get("/boxes/{box}/timeline"),
                    List.of(BOX),
                    "timeline task-1"),
            boxVerb(
                    "promote",
                    "let a fork's parent take the fork's state",
                    Route.post("/boxes/{box}/promote"),
                    List.of(BOX),
                    "promote task-1-attempt-2"),
            new Verb(
                    "destroy",
                    List.of("rm"),
                    "destroy boxes, without asking",
                    Route.post("/destroy"),
                    List.of(
                            word("box…", ParameterType.BOXES, "the boxes, by name or id")
                                    .as("boxes"),
                            flag("tree", "their forks, too")),
                    List.of("destroy task-1 task-2")),
            new Verb("top", List.of(), "what boxes use", Route.get("/top"), List.of(), List.of("top")),
            new Verb(
                    "image list",
                    List.of("image ls"),
                    "list images",
                    Route.get("/images"),
                    List.of(),
                    List.of("image list")),
            boxVerb(
                    "idle",
                    "when a box goes to standby",
                    Route.post("/boxes/{box}/idle"),
                    List.of(
                            BOX,
                            word("time", ParameterType.DURATION_OR_OFF, "a duration, or off")
                                    .as("idle_after_s")),
                    "idle task-1 5m"),
            boxVerb(
                    "busy",
                    "keep a box awake for a while",
                    Route.post("/boxes/{box}/busy"),
                    List.of(
                            BOX,
                            word("time", ParameterType.DURATION, "for how long").as("for_s")),
                    "busy task-1 20m"),
            boxVerb(
                    "why",
                    "what keeps a box awake, or what put it to sleep",
                    Route.get("/boxes/{box}/why"),
                    List.of(BOX),
                    "why task-1"));

    private Verbs() {}

    private static Verb boxVerb(
            String name, String summary, Route route, List<Parameter> parameters, String... examples) {
        return new Verb(name, List.of(), summary, route, parameters, List.of(examples));
    }

    private static Route move(String verb) {
        return Route.post("/boxes/{box}/" + verb);
    }

    public static List<Verb> all() {
        return ALL;
    }

    /** The verb with this name or alias. */
    public static Optional<Verb> named(String name) {
        return ALL.stream()
                .filter(verb -> verb.name().equals(name) || verb.aliases().contains(name))
                .findFirst();
    }
}
