package io.boxd.verbs;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The right that each verb needs; one that is not named here needs the most. */
final class Rights {
    private static final List<String> READING = List.of(
            "list",
            "info",
            "top",
            "ps",
            "logs",
            "why",
            "snapshot list",
            "snapshot show",
            "timeline",
            "image list",
            "status",
            "trust",
            "whoami",
            "key list",
            "token list",
            "org list",
            "org members",
            "usage",
            "quota show",
            "invitation list",
            "events",
            "completion",
            "man",
            "context list",
            "ssh-config",
            "version");

    private static final List<String> USING = List.of(
            "new",
            "fork",
            "exec",
            "attach",
            "kill",
            "connect",
            "cp",
            "pause",
            "resume",
            "hibernate",
            "wake",
            "stop",
            "start",
            "reboot",
            "busy",
            "snapshot save",
            // What a token makes or ends here is bounded by the token itself.
            "token create",
            "token revoke");

    private static final List<String> OWNING =
            List.of("rename", "label", "resize", "idle", "destroy", "snapshot rm", "rollback", "promote");

    /** What only the command itself does concerns no server's rights; it is listed so that none is forgotten. */
    private static final List<String> ACCOUNTING = List.of(
            "login",
            "logout",
            "context use",
            "context rm",
            "key add",
            "key rm",
            "invite",
            "join",
            "org create",
            "org add",
            "org remove",
            // The pool itself is for administrators, what a member may take of it for owners.
            "org pool",
            "invitation rm");

    private static final List<String> HOSTING = List.of(
            "image build",
            "image rm",
            "quota set",
            "user add",
            "user rm",
            "user admin",
            "up",
            "down",
            "serve",
            "trust install",
            "trust rm",
            "certificate renew",
            "certificate revoke",
            "doctor",
            "pass",
            "state backup",
            "state restore",
            "webhook add",
            "webhook rm",
            "webhook test",
            "webhook dead retry",
            "webhook dead rm");

    private static final List<String> INSPECTING =
            List.of("user list", "audit", "audit verify", "webhook list", "webhook dead list", "certificate list");

    private static final Map<String, Right> BY_VERB = new HashMap<>();

    static {
        put(Right.READ, READING);
        put(Right.USE, USING);
        put(Right.OWN, OWNING);
        put(Right.ACCOUNT, ACCOUNTING);
        put(Right.INSPECT, INSPECTING);
        put(Right.HOST, HOSTING);
    }

    private Rights() {}

    private static void put(Right right, List<String> verbs) {
        verbs.forEach(verb -> BY_VERB.put(verb, right));
    }

    static Right of(String verb) {
        return BY_VERB.getOrDefault(verb, Right.HOST);
    }

    static boolean isKnown(String verb) {
        return BY_VERB.containsKey(verb);
    }
}
