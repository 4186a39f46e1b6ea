package io.boxd.verbs;

import static io.boxd.verbs.Parameter.flag;
import static io.boxd.verbs.Parameter.option;
import static io.boxd.verbs.Parameter.optionalWord;
import static io.boxd.verbs.Parameter.word;
import static io.boxd.verbs.SharedParameters.BOX;

import java.util.List;

/** Verbs about how boxes are reached by their names. */
final class UrlVerbs {
    static final List<Verb> ALL = List.of(
            Verb.of(
                    Topic.URLS,
                    "url",
                    "the URL of a box, or of one of its ports",
                    Route.get("/boxes/{box}/url"),
                    List.of(BOX, optionalWord("port", ParameterType.COUNT, "the port; else what it answers by")),
                    "url task-1",
                    "url task-1 3000"),
            Verb.of(
                            Topic.URLS,
                            "share",
                            "who may visit a box by its URL",
                            Route.post("/boxes/{box}/share"),
                            List.of(
                                    BOX,
                                    flag("public", "anybody"),
                                    flag("private", "those who may see it, and those who have a link"),
                                    option("link", ParameterType.DURATION, "TIME", "a link that lets in for so long")
                                            .as("link_s"),
                                    flag("revoke", "all links that were made are worthless")),
                            "share task-1 --private",
                            "share task-1 --link 24h")
                    .with(Rule.exactlyOne("public", "private", "link_s", "revoke")),
            Verb.of(
                    Topic.URLS,
                    "proxy list",
                    "how boxes are reached by their names",
                    Route.get("/proxies"),
                    List.of(optionalWord("box", ParameterType.BOX, "only this one, by name or id")),
                    "proxy list"),
            Verb.of(
                    Topic.URLS,
                    "proxy set-port",
                    "the port that a box's URL leads to",
                    Route.post("/boxes/{box}/port"),
                    List.of(
                            BOX,
                            word("port", ParameterType.TEXT, "auto: 8000 if it listens, else what opened last")
                                    .shownAs("PORT|auto")),
                    "proxy set-port task-1 3000",
                    "proxy set-port task-1 auto"));

    private UrlVerbs() {}
}
