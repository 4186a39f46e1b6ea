package io.boxd.verbs;

import static io.boxd.verbs.Parameter.flag;
import static io.boxd.verbs.Parameter.option;
import static io.boxd.verbs.Parameter.optionalWord;
import static io.boxd.verbs.Parameter.word;
import static io.boxd.verbs.SharedParameters.BOX;
import static io.boxd.verbs.SharedParameters.ENVIRONMENT;
import static io.boxd.verbs.SharedParameters.EXECUTION;

import java.util.List;

/** Verbs about commands and files in a box. */
final class CommandVerbs {
    private static final Parameter DIRECTORY = option("cwd", ParameterType.TEXT, "DIR", "where it starts (/home/boxd)");
    private static final Parameter USER = option("user", ParameterType.TEXT, "USER", "whose command it is (boxd)");

    static final List<Verb> ALL = List.of(
            Verb.of(
                            Topic.COMMANDS,
                            "exec",
                            "run a command in a box",
                            Route.socket("/boxes/{box}/exec"),
                            List.of(
                                    BOX,
                                    ENVIRONMENT,
                                    DIRECTORY,
                                    USER,
                                    option("timeout", ParameterType.DURATION, "TIME", "kill it after so long, with 124")
                                            .as("timeout_s"),
                                    flag("tty", "with a terminal; without a command, a login shell")
                                            .letter('t'),
                                    flag("detach", "return its id at once; see logs, attach, kill")
                                            .letter('d'),
                                    flag("checkpoint", "take a snapshot first; see rollback --before"),
                                    optionalWord(
                                            "command",
                                            ParameterType.WORDS,
                                            "one string for a shell, or a program and its words")),
                            "exec task-1 'cd /app && make | tee log'",
                            "exec task-1 -e CI=1 --timeout 10m -- ./run --fast")
                    .with(Rule.atLeastOne("command", "tty")),
            Verb.of(
                    Topic.COMMANDS,
                    "ps",
                    "executions of a box",
                    Route.get("/boxes/{box}/executions"),
                    List.of(BOX),
                    "ps task-1"),
            Verb.of(
                            Topic.COMMANDS,
                            "logs",
                            "what an execution, or the console, has said",
                            Route.socket("/boxes/{box}/logs"),
                            List.of(
                                    BOX,
                                    optionalWord(
                                                    "exec",
                                                    ParameterType.EXECUTION,
                                                    "the execution; the newest if none is given")
                                            .as("exec_id"),
                                    flag("console", "the serial console instead"),
                                    flag("follow", "go on with what comes").letter('f'),
                                    option(
                                                    "since",
                                                    ParameterType.DURATION,
                                                    "TIME",
                                                    "executions begun in this time only")
                                            .as("since_s")),
                            "logs task-1 -f")
                    .with(Rule.atMostOne("exec_id", "console")),
            Verb.of(
                    Topic.COMMANDS,
                    "attach",
                    "take part in an execution: see all of it, and type",
                    Route.socket("/boxes/{box}/executions/{exec_id}/attach"),
                    List.of(BOX, EXECUTION),
                    "attach task-1 ex_4f0c"),
            Verb.of(
                    Topic.COMMANDS,
                    "kill",
                    "signal an execution",
                    Route.post("/boxes/{box}/executions/{exec_id}/kill"),
                    List.of(BOX, EXECUTION, option("signal", ParameterType.SIGNAL, "SIGNAL", "which one (TERM)")),
                    "kill task-1 ex_4f0c --signal INT"));

    /** What a door does with the streams and files of the API. */
    static final List<Verb> DOOR = List.of(
            Verb.of(
                            Topic.COMMANDS,
                            "connect",
                            "a login shell in a box; Enter ~ . leaves it running",
                            Route.door(),
                            List.of(BOX, ENVIRONMENT, DIRECTORY, USER),
                            "connect task-1")
                    .also("ssh", "shell"),
            Verb.of(
                    Topic.COMMANDS,
                    "cp",
                    "copy files and folders to, from and between boxes",
                    Route.door(),
                    List.of(
                            word("source", ParameterType.PLACE, "BOX:PATH, a path here, or - for the input"),
                            word("target", ParameterType.PLACE, "BOX:PATH, a path here, or - for the output"),
                            option("user", ParameterType.TEXT, "USER", "with whose rights in the box (boxd)")),
                    "cp ./src task-1:work/",
                    "cp task-1:result.json -"));

    private CommandVerbs() {}
}
