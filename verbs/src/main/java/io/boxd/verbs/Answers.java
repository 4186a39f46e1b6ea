package io.boxd.verbs;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a server answers, as text for people; programs read the JSON itself. */
public final class Answers {
    private Answers() {}

    /** The answer to a verb, with a line end; {@code answer} is as {@link io.boxd.common.PlainJson} reads it. */
    public static String text(Verb verb, @Nullable Object answer, Look look) {
        BoxText box = new BoxText(look);
        SnapshotText snapshot = new SnapshotText(look);
        HostText host = new HostText(look);
        AccountText account = new AccountText(look);
        HistoryText history = new HistoryText(look);
        List<Fields> all = Fields.each(answer);
        Fields one = Fields.of(answer);
        return switch (verb.name()) {
            case "new" -> box.made(one);
            case "fork" -> each(all, box);
            case "list" -> box.list(all);
            case "info", "rename", "label", "resize", "promote" -> box.info(one);
            case "idle" -> box.idle(one);
            case "pause", "resume", "hibernate", "wake", "stop", "start", "reboot" -> box.moved(one);
            case "rollback" -> box.rolledBack(one);
            case "destroy" -> words("destroyed", one.texts("destroyed"));
            case "snapshot rm", "image rm", "webhook rm" -> words("deleted", one.texts("deleted"));
            case "snapshot save" -> snapshot.saved(one);
            case "snapshot show" -> snapshot.show(one);
            case "snapshot list" -> snapshot.list(all);
            case "timeline" -> new TimelineText(look).tree(one);
            case "ps" -> host.executions(all);
            case "kill" -> host.killed(one);
            case "top" -> box.top(all);
            case "why" -> box.why(one);
            case "busy" ->
                "kept awake, " + Human.until(one.time("until"), look.now()).replace("in ", "for ") + "\n";
            case "image list", "image build" -> host.images(all);
            case "status" -> host.server(one);
            case "trust" -> new NameText(look).trust(one);
            case "certificate list", "certificate renew", "certificate revoke" -> new NameText(look).certificates(all);
            case "events" -> history.events(one);
            case "audit" -> history.audit(all);
            case "audit verify" -> history.verification(one);
            case "webhook add" -> history.webhookAdded(one);
            case "webhook list" -> history.webhooks(all);
            case "webhook test" -> history.webhookTested(one);
            case "webhook dead list" -> history.deadLetters(all);
            case "webhook dead retry" -> history.retried(one);
            case "webhook dead rm" -> one.text("deleted", "0") + " forgotten\n";
            case "login" -> new ContextText(look).loggedIn(one);
            case "logout" -> new ContextText(look).loggedOut(one);
            case "context list" -> new ContextText(look).list(all);
            case "context use" -> new ContextText(look).inUse(one);
            case "context rm" -> words("deleted", one.texts("deleted"));
            case "whoami" -> account.self(one);
            case "key add", "key list" -> account.keys(all);
            case "user list", "user add", "user admin" -> account.users(all);
            case "invitation list" -> account.invitations(all);
            case "key rm", "token revoke", "user rm", "invitation rm" -> words("deleted", one.texts("deleted"));
            case "token create" -> account.secret(one, "token", "token");
            case "token list" -> account.tokens(all);
            case "invite" -> account.secret(one, "invitation", "invitation");
            case "join", "org create", "org list", "org pool" -> account.organisations(all);
            case "org members", "org add", "org remove" -> account.members(all);
            case "usage" -> account.usage(one);
            case "quota show", "quota set" -> account.quota(one);
            default -> throw new IllegalArgumentException("no text for the answer to " + verb.name());
        };
    }

    /** One thing of what a verb follows, with a line end. */
    public static String line(Verb verb, Fields told, Look look) {
        HistoryText history = new HistoryText(look);
        return verb.name().equals("events") ? history.event(told) : history.entry(told);
    }

    private static String each(List<Fields> boxes, BoxText text) {
        StringBuilder all = new StringBuilder();
        boxes.forEach(box -> all.append(text.made(box)));
        return all.toString();
    }

    private static String words(String what, List<String> names) {
        StringBuilder all = new StringBuilder();
        names.forEach(
                name -> all.append(what).append(' ').append(Harmless.line(name)).append('\n'));
        return all.isEmpty() ? "nothing was " + what + "\n" : all.toString();
    }
}
