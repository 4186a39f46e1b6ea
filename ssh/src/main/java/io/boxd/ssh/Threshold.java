package io.boxd.ssh;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.common.Json;
import io.boxd.control.Caller;
import io.boxd.control.Control;
import io.boxd.control.Credential;
import io.boxd.verbs.Exits;
import io.boxd.verbs.Harmless;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import tools.jackson.databind.node.ObjectNode;

/**
 * Where somebody stands whose key belongs to nobody: they hear what to do, and can do it here with the key with which
 * they have signed.
 */
final class Threshold {
    private static final String JOIN = "join";
    private static final String LOGIN = "login";
    private static final int LONGEST_SHOWN = 300;
    private static final Duration LONGEST_LOGIN = Duration.ofMinutes(15);

    private final Control control;
    private final Visitor visitor;
    private final Supplier<Caller> caller;
    private final CountDownLatch left = new CountDownLatch(1);

    /** @param caller who it is from now on, once the key belongs to somebody */
    Threshold(Control control, Visitor visitor, Supplier<Caller> caller) {
        this.control = control;
        this.visitor = visitor;
        this.caller = caller;
    }

    Ending talk(Conversation conversation) {
        conversation.listen(new WhenLeft(left::countDown));
        List<String> words = words(conversation);
        try {
            switch (words.isEmpty() ? "" : words.getFirst()) {
                case JOIN -> join(conversation, words);
                case LOGIN -> login(conversation);
                default -> {
                    Refusal.lines(conversation, whatToDo());
                    return new Ending.Status(Exits.of(ErrorCode.UNAUTHENTICATED));
                }
            }
            return new Ending.Status(Exits.DONE);
        } catch (BoxdException e) {
            Refusal.tell(conversation, e);
            return new Ending.Status(Exits.of(e.code()));
        }
    }

    private static List<String> words(Conversation conversation) {
        return conversation.wish() instanceof Wish.Line(String text)
                ? List.of(text.strip().split("\\s+"))
                : List.of();
    }

    private String whatToDo() {
        StringBuilder text = new StringBuilder();
        text.append("boxd: nobody is known by this key: ")
                .append(visitor.key().fingerprint())
                .append("\r\n");
        text.append("  With an invitation (boxd invite):  ssh … NAME@HOST join INVITATION\r\n");
        if (control.ways().path("elsewhere").asBoolean(false)) {
            text.append("  To log in with a browser:          ssh … boxd@HOST login\r\n");
        }
        text.append("  If you have an account already, from where it is known: boxd key add FILE.pub\r\n");
        return text.toString();
    }

    /** The name is that with which they came, unless another was said. */
    private void join(Conversation conversation, List<String> words) {
        if (words.size() < 2 || words.size() > 3) {
            throw invalid("join needs an invitation, and perhaps a name", "join INVITATION [NAME]");
        }
        String name = words.size() == 3 ? words.get(2) : visitor.user();
        if (name.equals(Doors.CONTROL)) {
            throw invalid("an invitation needs the name that you want to have", "join INVITATION NAME");
        }
        Caller stranger = Doors.stranger(visitor.address());
        ObjectNode done = control.enter(
                stranger, words.get(1), name, Optional.of(visitor.key().line()));
        giveBack(stranger, done);
        welcome(conversation);
    }

    private static BoxdException invalid(String message, String usage) {
        return new BoxdException(ErrorCode.INVALID_ARGUMENT, message, "Usage: " + usage, null);
    }

    private void login(Conversation conversation) {
        Caller stranger = Doors.stranger(visitor.address());
        ObjectNode begun = control.beginLogin(stranger);
        Refusal.lines(
                conversation,
                "Open " + shown(begun, "complete_address") + " in a browser.\r\nIf it asks for a code: "
                        + shown(begun, "user_code") + "\r\n");
        Deadline deadline = Deadline.in(LONGEST_LOGIN)
                .orSooner(Duration.ofSeconds(
                        Math.max(1, begun.path("expires_in_s").asLong(0))));
        long pause = Math.max(1, begun.path("interval_s").asLong(1));
        while (!deadline.passed()) {
            if (hasLeft(pause)) {
                throw new BoxdException(ErrorCode.UNAVAILABLE, "the login was given up");
            }
            ObjectNode progress = control.login(stranger, begun.path("handle").asString(""));
            if (progress.path("done").asBoolean(false)) {
                linkKey(stranger, progress);
                welcome(conversation);
                return;
            }
        }
        throw new BoxdException(ErrorCode.TIMEOUT, "nobody logged in in time", "Log in again.", null);
    }

    private static String shown(ObjectNode answer, String field) {
        return Harmless.cut(answer.path(field).asString(""), LONGEST_SHOWN);
    }

    /** As often as the issuer likes to be asked. */
    private boolean hasLeft(long seconds) {
        try {
            return left.await(seconds, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    private void linkKey(Caller stranger, ObjectNode done) {
        Caller known = control.identify(stranger, token(done));
        control.call(known, "key add", Json.object().put("key", visitor.key().line()));
        giveBack(stranger, done);
    }

    private static Credential.Token token(ObjectNode done) {
        return new Credential.Token(done.path("token").asString(""));
    }

    /** Who comes by a key needs no token, and it would lie about for months. */
    private void giveBack(Caller stranger, ObjectNode done) {
        Caller known = control.identify(stranger, token(done));
        known.who()
                .flatMap(who -> who.token())
                .ifPresent(token ->
                        control.call(known, "token revoke", Json.object().put("token", token)));
    }

    private void welcome(Conversation conversation) {
        String name = caller.get().who().orElseThrow().name();
        Refusal.lines(conversation, "boxd: you are " + name + ", by this key. Try: ssh … boxd@HOST help\r\n");
    }
}
