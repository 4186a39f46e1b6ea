package io.boxd.verbs;

import static io.boxd.verbs.Parameter.flag;
import static io.boxd.verbs.Parameter.option;
import static io.boxd.verbs.Parameter.optionalWord;
import static io.boxd.verbs.Parameter.word;
import static io.boxd.verbs.SharedParameters.LABEL;

import java.util.List;
import java.util.stream.Stream;

/** Verbs about who somebody is, what they may do, and what they have used. */
final class AccountVerbs {
    private static final Parameter ORGANISATION = word("org", ParameterType.NAME, "the organisation, by name");
    private static final Parameter USER = word("user", ParameterType.NAME, "the user, by name");
    private static final Parameter ROLE = option("role", ParameterType.TEXT, "ROLE", "owner or member (member)");

    private static final List<Verb> PEOPLE = List.of(
            Verb.of(Topic.ACCOUNTS, "whoami", "who you are here", Route.get("/whoami"), List.of(), "whoami"),
            Verb.of(
                            Topic.ACCOUNTS,
                            "key add",
                            "let an SSH key stand for you",
                            Route.post("/keys"),
                            List.of(word(
                                    "key", ParameterType.FILE, "the public key's file, such as ~/.ssh/id_ed25519.pub")),
                            "key add id_ed25519.pub")
                    .creating(),
            Verb.of(Topic.ACCOUNTS, "key list", "list your SSH keys", Route.get("/keys"), List.of(), "key list")
                    .also("key ls"),
            Verb.of(
                    Topic.ACCOUNTS,
                    "key rm",
                    "an SSH key stands for you no more",
                    Route.delete("/keys"),
                    List.of(word("fingerprint", ParameterType.TEXT, "as key list shows it")),
                    "key rm SHA256:nThbg6kXUpJWGl7E1IGOCspRomTxdCARLviKw6E5SY8"),
            Verb.of(
                            Topic.ACCOUNTS,
                            "token create",
                            "make a token, which is shown once",
                            Route.post("/tokens"),
                            List.of(
                                    optionalWord("note", ParameterType.TEXT, "what it is for"),
                                    option(
                                            "verbs",
                                            ParameterType.TEXT,
                                            "VERB,…",
                                            "for these verbs only, or groups of them"),
                                    LABEL,
                                    flag("read-only", "it changes nothing"),
                                    option("ttl", ParameterType.DURATION, "TIME", "it ends after so long")
                                            .as("ttl_s")),
                            "token create ci --verbs new,exec,destroy --label job=ci --ttl 30d")
                    .creating(),
            Verb.of(Topic.ACCOUNTS, "token list", "list your tokens", Route.get("/tokens"), List.of(), "token list")
                    .also("token ls"),
            Verb.of(
                    Topic.ACCOUNTS,
                    "token revoke",
                    "end a token at once, and those made with it",
                    Route.delete("/tokens/{token}"),
                    List.of(word("token", ParameterType.TEXT, "the token's id")),
                    "token revoke tok_4f0c"));

    private static final List<Verb> TOGETHER = List.of(
            Verb.of(
                            Topic.ACCOUNTS,
                            "invite",
                            "let one person in, once",
                            Route.post("/invitations"),
                            List.of(
                                    option("org", ParameterType.NAME, "ORG", "into this organisation"),
                                    ROLE,
                                    option("ttl", ParameterType.DURATION, "TIME", "it ends after so long (7d)")
                                            .as("ttl_s")),
                            "invite --org red")
                    .creating(),
            Verb.of(
                    Topic.ACCOUNTS,
                    "join",
                    "follow an invitation to an organisation",
                    Route.post("/join"),
                    List.of(word("invitation", ParameterType.TEXT, "what you were given")),
                    "join invite_4f0c"),
            Verb.of(
                            Topic.ACCOUNTS,
                            "org create",
                            "make an organisation, whose owner you are",
                            Route.post("/organisations"),
                            List.of(word("name", ParameterType.NAME, "its name")),
                            "org create red")
                    .creating(),
            Verb.of(
                            Topic.ACCOUNTS,
                            "org list",
                            "list organisations",
                            Route.get("/organisations"),
                            List.of(),
                            "org list")
                    .also("org ls"),
            Verb.of(
                    Topic.ACCOUNTS,
                    "org members",
                    "who is in an organisation",
                    Route.get("/organisations/{org}/members"),
                    List.of(ORGANISATION),
                    "org members red"),
            Verb.of(
                    Topic.ACCOUNTS,
                    "org add",
                    "put a user in an organisation, or give another role",
                    Route.post("/organisations/{org}/members"),
                    List.of(ORGANISATION, USER, ROLE),
                    "org add red bob --role owner"),
            Verb.of(
                    Topic.ACCOUNTS,
                    "org remove",
                    "take a user out of an organisation",
                    Route.delete("/organisations/{org}/members/{user}"),
                    List.of(ORGANISATION, USER),
                    "org remove red bob"),
            Verb.of(
                            Topic.ACCOUNTS,
                            "org pool",
                            "what boxes of an organisation may have together",
                            Route.post("/organisations/{org}/pool"),
                            List.of(
                                    ORGANISATION,
                                    option("boxes", ParameterType.COUNT, "N", "so many boxes, asleep or not"),
                                    SharedParameters.CPUS,
                                    SharedParameters.MEMORY,
                                    option(
                                            "member",
                                            ParameterType.NAME,
                                            "USER",
                                            "only what this member may take of it"),
                                    flag("none", "no pool (own quotas count), or no limit")),
                            "org pool red --boxes 50 --cpus 64 --memory 256G",
                            "org pool red --member bob --boxes 5 --cpus 8 --memory 32G")
                    .with(Rule.atLeastOne("boxes", "none")));

    private static final List<Verb> USERS = List.of(
            Verb.of(Topic.ACCOUNTS, "user list", "list all users", Route.get("/users"), List.of(), "user list")
                    .also("user ls"),
            Verb.of(
                            Topic.ACCOUNTS,
                            "user add",
                            "make a user, known by an SSH key",
                            Route.post("/users"),
                            List.of(
                                    word("name", ParameterType.NAME, "what they are called here"),
                                    option("key", ParameterType.FILE, "FILE", "their public SSH key")),
                            "user add bob --key bob.pub")
                    .creating(),
            Verb.of(
                    Topic.ACCOUNTS,
                    "user rm",
                    "a user is one no more; their boxes must be gone",
                    Route.delete("/users/{user}"),
                    List.of(USER),
                    "user rm bob"),
            Verb.of(
                    Topic.ACCOUNTS,
                    "user admin",
                    "a user administers this server",
                    Route.post("/users/{user}/admin"),
                    List.of(USER, flag("off", "or does not any more")),
                    "user admin bob"),
            Verb.of(
                            Topic.ACCOUNTS,
                            "invitation list",
                            "list invitations that nobody has followed",
                            Route.get("/invitations"),
                            List.of(),
                            "invitation list")
                    .also("invitation ls"),
            Verb.of(
                    Topic.ACCOUNTS,
                    "invitation rm",
                    "an invitation lets nobody in any more",
                    Route.delete("/invitations/{invitation}"),
                    List.of(word("invitation", ParameterType.TEXT, "its id")),
                    "invitation rm inv_4f0c0011"));

    private static final List<Verb> AMOUNTS = List.of(
            Verb.of(
                            Topic.ACCOUNTS,
                            "usage",
                            "what boxes have used",
                            Route.get("/usage"),
                            List.of(
                                    optionalWord("box", ParameterType.BOX, "only this box"),
                                    option("org", ParameterType.NAME, "ORG", "all boxes of this organisation"),
                                    option("since", ParameterType.DURATION, "TIME", "in this time (30d)")
                                            .as("since_s")),
                            "usage --since 24h")
                    .with(Rule.atMostOne("box", "org")),
            Verb.of(
                    Topic.ACCOUNTS,
                    "quota show",
                    "what you have, and may have",
                    Route.get("/quota"),
                    List.of(optionalWord("user", ParameterType.NAME, "another user, for administrators")),
                    "quota show"),
            Verb.of(
                    Topic.ACCOUNTS,
                    "quota set",
                    "what a user may have",
                    Route.post("/quota/{user}"),
                    List.of(
                            USER,
                            option("boxes", ParameterType.COUNT, "N", "boxes, asleep or not"),
                            option("running", ParameterType.COUNT, "N", "boxes that are awake")
                                    .as("running_boxes"),
                            SharedParameters.CPUS,
                            SharedParameters.MEMORY,
                            SharedParameters.DISK,
                            option("snapshots", ParameterType.COUNT, "N", "snapshots")),
                    "quota set bob --boxes 20"));

    static final List<Verb> ALL =
            Stream.of(PEOPLE, TOGETHER, USERS, AMOUNTS).flatMap(List::stream).toList();

    private AccountVerbs() {}
}
