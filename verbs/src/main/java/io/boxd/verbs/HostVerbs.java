package io.boxd.verbs;

import static io.boxd.verbs.Parameter.flag;
import static io.boxd.verbs.Parameter.option;
import static io.boxd.verbs.Parameter.optionalWord;
import static io.boxd.verbs.Parameter.word;

import java.util.List;

/** Verbs about images and about the instance on a machine. */
final class HostVerbs {
    private static final Parameter IMAGE = word("name", ParameterType.NAME, "the image's name");
    private static final Parameter CONFIGURATION =
            option("config", ParameterType.TEXT, "FILE", "its settings (/etc/boxd/boxd.toml)");

    static final List<Verb> ALL = List.of(
            Verb.of(Topic.IMAGES, "image list", "list images", Route.get("/images"), List.of(), "image list")
                    .also("image ls"),
            Verb.of(
                            Topic.IMAGES,
                            "image build",
                            "build an image, also one of your own",
                            Route.post("/images"),
                            List.of(
                                    IMAGE,
                                    option(
                                            "recipe",
                                            ParameterType.FILE,
                                            "FILE",
                                            "what it is made of (docs/images.md)")),
                            "image build tools --recipe tools.toml")
                    .creating(),
            Verb.of(
                    Topic.IMAGES,
                    "image rm",
                    "forget an image of your own",
                    Route.delete("/images/{name}"),
                    List.of(IMAGE),
                    "image rm tools"),
            Verb.of(
                    Topic.HOST,
                    "status",
                    "the server, and how many boxes it has",
                    Route.get("/status"),
                    List.of(),
                    "status"));

    /** What is done on the machine itself. */
    static final List<Verb> LOCAL = List.of(
            Verb.of(
                    Topic.HOST,
                    "up",
                    "make this machine ready and start the server",
                    Route.local(),
                    List.of(CONFIGURATION, flag("no-install", "install nothing, only say what is missing")),
                    "up"),
            Verb.of(
                    Topic.HOST,
                    "down",
                    "end the server; boxes run on",
                    Route.local(),
                    List.of(CONFIGURATION, flag("boxes", "hibernate the boxes, too")),
                    "down --boxes"),
            Verb.of(
                    Topic.HOST,
                    "serve",
                    "be the server, in the foreground",
                    Route.local(),
                    List.of(
                            CONFIGURATION,
                            option(
                                    "roles",
                                    ParameterType.TEXT,
                                    "LIST",
                                    "control,worker, and doors (api); otherwise all"),
                            option("pass", ParameterType.TEXT, "FILE", "for doors without control (boxd pass)")),
                    "serve",
                    "serve --roles=control,worker",
                    "serve --roles=api --pass=/etc/boxd/pass"),
            Verb.of(
                    Topic.HOST,
                    "pass",
                    "let doors in another process get to control",
                    Route.local(),
                    List.of(
                            word("file", ParameterType.TEXT, "where to; made anew"),
                            option("doors", ParameterType.TEXT, "LIST", "which (all)"),
                            option("user", ParameterType.TEXT, "USER", "who runs them and may read the file (root)"),
                            CONFIGURATION),
                    "pass /etc/boxd/pass --user boxd-doors"),
            Verb.of(
                    Topic.HOST,
                    "doctor",
                    "what this machine lacks, and what to do about it",
                    Route.local(),
                    List.of(CONFIGURATION),
                    "doctor"),
            Verb.of(
                    Topic.HOST,
                    "state backup",
                    "write what the server has decided to a file",
                    Route.door(),
                    List.of(word("file", ParameterType.TEXT, "where to; made anew"), CONFIGURATION),
                    "state backup /root/boxd-state"),
            Verb.of(
                    Topic.HOST,
                    "state restore",
                    "make a damaged state usable again",
                    Route.door(),
                    List.of(
                            optionalWord("file", ParameterType.TEXT, "of state backup; without it, what is whole here"),
                            CONFIGURATION),
                    "state restore",
                    "state restore /root/boxd-state"),
            Verb.of(
                    Topic.HOST,
                    "ssh-config",
                    "what lets your ssh find boxes by their names",
                    Route.door(),
                    List.of(flag("write", "write it to where your ssh looks")),
                    "ssh-config --write"),
            Verb.of(
                    Topic.HOST,
                    "completion",
                    "what lets your shell complete lines",
                    Route.local(),
                    List.of(
                            word("shell", ParameterType.TEXT, "the shell that you use")
                                    .shownAs("bash|zsh|fish"),
                            optionalWord("word", ParameterType.WORDS, "a line so far: then only what could come next")),
                    "completion bash"),
            Verb.of(Topic.HOST, "man", "the manual page, for man -l -", Route.local(), List.of(), "man"),
            Verb.of(Topic.HOST, "version", "which boxd this is", Route.local(), List.of(), "version"));

    private HostVerbs() {}
}
