package io.boxd.verbs;

import static io.boxd.verbs.Parameter.flag;
import static io.boxd.verbs.Parameter.option;
import static io.boxd.verbs.Parameter.optionalWord;
import static io.boxd.verbs.Parameter.word;

import java.util.List;

/** Verbs about the servers that the caller knows, each called a context. */
final class ContextVerbs {
    private static final String CONTEXT = "CONTEXT";

    static final List<Verb> LOCAL = List.of(
            Verb.of(
                            Topic.CONTEXTS,
                            "login",
                            "use a server elsewhere from now on",
                            Route.local(),
                            List.of(
                                    word("url", ParameterType.TEXT, "https://HOST or https://HOST:PORT"),
                                    flag("token-stdin", "take the token from the input"),
                                    option("token-file", ParameterType.FILE, "FILE", "take the token from a file"),
                                    option("invitation", ParameterType.TEXT, "CODE", "come in by an invitation"),
                                    option("user", ParameterType.NAME, "NAME", "who you want to be, with --invitation"),
                                    option("key", ParameterType.FILE, "FILE", "your public SSH key, with --invitation"),
                                    option("name", ParameterType.TEXT, "NAME", "what to call it (as its host)"),
                                    option(
                                            "ca",
                                            ParameterType.FILE,
                                            "FILE",
                                            "trust only the certificates in this PEM file"),
                                    flag("insecure-http", "let everyone on the way read the token")),
                            "login https://boxes.example.org",
                            "login https://10.1.2.3:8443 --name lab --ca lab.pem --token-file token")
                    .with(Rule.atMostOne("token_stdin", "token_file", "invitation")),
            Verb.of(
                    Topic.CONTEXTS,
                    "logout",
                    "forget the token of a server",
                    Route.local(),
                    List.of(optionalWord("name", ParameterType.TEXT, "which one; the one in use if none is given")
                            .shownAs(CONTEXT)),
                    "logout lab"),
            Verb.of(
                            Topic.CONTEXTS,
                            "context list",
                            "the servers that you know, and the one in use",
                            Route.local(),
                            List.of(),
                            "context list")
                    .also("context ls"),
            Verb.of(
                    Topic.CONTEXTS,
                    "context use",
                    "use another server from now on",
                    Route.local(),
                    List.of(named("which one; local is the one on this machine")),
                    "context use lab"),
            Verb.of(
                    Topic.CONTEXTS,
                    "context rm",
                    "forget a server and its token",
                    Route.local(),
                    List.of(named("which one")),
                    "context rm lab"));

    private ContextVerbs() {}

    private static Parameter named(String help) {
        return word("name", ParameterType.TEXT, help).shownAs(CONTEXT);
    }
}
