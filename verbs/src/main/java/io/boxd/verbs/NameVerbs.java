package io.boxd.verbs;

import static io.boxd.verbs.Parameter.word;

import java.util.List;

/** Verbs about what certifies the names of boxes, and who believes it. */
final class NameVerbs {
    private static final Parameter NAME = word("name", ParameterType.TEXT, "one of its names; see certificate list");

    static final List<Verb> ALL = List.of(
            Verb.of(
                    Topic.HOST,
                    "trust",
                    "the server's own certificate authority",
                    Route.get("/trust"),
                    List.of(),
                    "trust",
                    "trust --json"),
            Verb.of(
                    Topic.HOST,
                    "certificate list",
                    "who certifies which names, and until when",
                    Route.get("/certificates"),
                    List.of(),
                    "certificate list"),
            Verb.of(
                    Topic.HOST,
                    "certificate renew",
                    "ask for another certificate now",
                    Route.post("/certificates/{name}/renew"),
                    List.of(NAME),
                    "certificate renew boxes.example.org"),
            Verb.of(
                    Topic.HOST,
                    "certificate revoke",
                    "have a certificate revoked, and ask for another",
                    Route.post("/certificates/{name}/revoke"),
                    List.of(NAME),
                    "certificate revoke boxes.example.org"));

    /** What is done on the caller's own machine. */
    static final List<Verb> DOOR = List.of(
            Verb.of(
                    Topic.HOST,
                    "trust install",
                    "let this machine believe the server's authority",
                    Route.door(),
                    List.of(),
                    "trust install"),
            Verb.of(Topic.HOST, "trust rm", "let it believe that no more", Route.door(), List.of(), "trust rm"));

    private NameVerbs() {}
}
