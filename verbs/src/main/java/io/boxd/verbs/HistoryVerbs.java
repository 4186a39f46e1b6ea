package io.boxd.verbs;

import static io.boxd.verbs.Parameter.flag;
import static io.boxd.verbs.Parameter.option;
import static io.boxd.verbs.Parameter.optionalWord;
import static io.boxd.verbs.Parameter.word;

import java.util.List;
import java.util.Set;

/** Verbs about what happened, who did it, and who is told of it. */
public final class HistoryVerbs {
    private static final Parameter FOLLOW =
            flag("follow", "go on with what comes").letter('f');
    private static final Parameter SINCE = option("since", ParameterType.DURATION, "TIME", "of the last so long only")
            .as("since_s");
    private static final Parameter OF_BOX = option("box", ParameterType.BOX, "BOX", "of this box only");
    private static final Parameter AFTER =
            option("after", ParameterType.OFFSET, "N", "those behind this number, oldest first");
    private static final Parameter LIMIT = option("limit", ParameterType.COUNT, "N", "at most so many (100)");
    /** What goes on has no number of things. */
    private static final Rule ENDLESS = Rule.atMostOne("follow", "limit");

    private static final Parameter WEBHOOK = word("webhook", ParameterType.TEXT, "its id; see webhook list");
    private static final Parameter SEQUENCE =
            optionalWord("sequence", ParameterType.COUNT, "the event's number; all if none is given");

    /** Those that can be followed: they are streams, too, at the same path. */
    private static final Set<String> FOLLOWED = Set.of("events", "audit");

    static final List<Verb> ALL = List.of(
            Verb.of(
                            Topic.HISTORY,
                            "events",
                            "what happened to boxes, and why",
                            Route.get("/events"),
                            List.of(FOLLOW, SINCE, OF_BOX, AFTER, LIMIT),
                            "events -f --box task-1")
                    .with(ENDLESS),
            Verb.of(
                            Topic.HISTORY,
                            "audit",
                            "who did what, and from where",
                            Route.get("/audit"),
                            List.of(
                                    FOLLOW,
                                    SINCE,
                                    OF_BOX,
                                    option("verb", ParameterType.TEXT, "VERB", "this verb only"),
                                    AFTER,
                                    LIMIT),
                            "audit --since 1h --verb destroy")
                    .with(ENDLESS),
            Verb.of(
                    Topic.HISTORY,
                    "audit verify",
                    "prove that nobody has changed the audit",
                    Route.get("/audit/verify"),
                    List.of(),
                    "audit verify"),
            Verb.of(
                            Topic.HISTORY,
                            "webhook add",
                            "tell a URL of events from now on",
                            Route.post("/webhooks"),
                            List.of(
                                    word("url", ParameterType.TEXT, "where it listens"),
                                    option("events", ParameterType.TEXT, "KIND,…", "these kinds of events only"),
                                    option(
                                                    "secret-file",
                                                    ParameterType.FILE,
                                                    "FILE",
                                                    "a secret; otherwise one is made, shown once")
                                            .as("secret")),
                            "webhook add https://example.org/boxd --events ready,failed")
                    .creating(),
            Verb.of(
                            Topic.HISTORY,
                            "webhook list",
                            "who is told of events, and whether that works",
                            Route.get("/webhooks"),
                            List.of(),
                            "webhook list")
                    .also("webhook ls"),
            Verb.of(
                    Topic.HISTORY,
                    "webhook rm",
                    "tell a URL no more",
                    Route.delete("/webhooks/{webhook}"),
                    List.of(WEBHOOK),
                    "webhook rm wh_4f0c00112233"),
            Verb.of(
                    Topic.HISTORY,
                    "webhook test",
                    "send an event that tells of nothing",
                    Route.post("/webhooks/{webhook}/test"),
                    List.of(WEBHOOK),
                    "webhook test wh_4f0c00112233"),
            Verb.of(
                    Topic.HISTORY,
                    "webhook dead list",
                    "events that were given up",
                    Route.get("/webhooks/dead"),
                    List.of(optionalWord("webhook", ParameterType.TEXT, "only those of this one")),
                    "webhook dead list"),
            Verb.of(
                    Topic.HISTORY,
                    "webhook dead retry",
                    "send events that were given up once more",
                    Route.post("/webhooks/{webhook}/dead/retry"),
                    List.of(WEBHOOK, SEQUENCE),
                    "webhook dead retry wh_4f0c00112233"),
            Verb.of(
                    Topic.HISTORY,
                    "webhook dead rm",
                    "forget events that were given up",
                    Route.delete("/webhooks/{webhook}/dead"),
                    List.of(WEBHOOK, SEQUENCE),
                    "webhook dead rm wh_4f0c00112233 17"));

    private HistoryVerbs() {}

    /** Whether a verb can also be followed as a stream. */
    public static boolean isFollowed(Verb verb) {
        return FOLLOWED.contains(verb.name());
    }
}
