package io.boxd.accounts;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.verbs.Right;

/**
 * Who may do what; the only place that says so.
 *
 * <p>What a token does not allow at all is refused before anybody looks for a box. A box that somebody may not see is
 * then answered exactly as one that does not exist.
 */
public final class Access {
    /** The answer. */
    public enum Verdict {
        ALLOWED,
        /** There is no such box, as far as this one knows. */
        HIDDEN,
        /** The token is not for this. */
        BEYOND_TOKEN,
        /** They see it, but it is others'. */
        NOT_THEIRS
    }

    private Access() {}

    /** Whether somebody may do this at all, whatever it is done to. */
    public static Verdict of(Principal who, Deed deed) {
        if (!who.scopes().allow(deed)) {
            return Verdict.BEYOND_TOKEN;
        }
        return switch (deed.right()) {
            case READ, USE, OWN -> Verdict.ALLOWED;
            case ACCOUNT -> who.scopes().limited() ? Verdict.BEYOND_TOKEN : Verdict.ALLOWED;
            case INSPECT, HOST -> {
                if (!who.administrator()) {
                    yield Verdict.NOT_THEIRS;
                }
                // What all share has no labels, so a token for some boxes is not for it.
                yield who.scopes().labels().isEmpty() ? Verdict.ALLOWED : Verdict.BEYOND_TOKEN;
            }
        };
    }

    /** Whether somebody may do this to a box. */
    public static Verdict of(Principal who, Deed deed, BoxFacts box) {
        Verdict atAll = of(who, deed);
        if (atAll != Verdict.ALLOWED) {
            return atAll;
        }
        if (!who.scopes().allow(box.labels())) {
            return Verdict.HIDDEN;
        }
        if (has(who, box)) {
            return Verdict.ALLOWED;
        }
        if (!isSharedWith(who, box)) {
            return Verdict.HIDDEN;
        }
        return deed.right() == Right.READ || deed.right() == Right.USE ? Verdict.ALLOWED : Verdict.NOT_THEIRS;
    }

    /** Whether it is theirs to do with as they like. */
    private static boolean has(Principal who, BoxFacts box) {
        if (who.administrator()) {
            return true;
        }
        if (box.organisation().isEmpty()) {
            return who.user().equals(box.owner());
        }
        Role role = who.roles().get(box.organisation().get());
        if (role == null) {
            return false; // also who made it has left it there
        }
        boolean governed = box.visibility() == Visibility.SHARED || box.orphaned();
        return who.user().equals(box.owner()) || (role == Role.OWNER && governed);
    }

    private static boolean isSharedWith(Principal who, BoxFacts box) {
        return box.visibility() == Visibility.SHARED
                && box.organisation().filter(who.roles()::containsKey).isPresent();
    }

    /** Throws unless it may be done. */
    public static void require(Principal who, Deed deed) {
        refuse(of(who, deed), who, deed, "");
    }

    /**
     * Throws unless it may be done to this box.
     *
     * @param said how the box was called; what is not theirs to know is not in the answer
     */
    public static void require(Principal who, Deed deed, BoxFacts box, String said) {
        refuse(of(who, deed, box), who, deed, said);
    }

    public static boolean isAllowed(Principal who, Deed deed, BoxFacts box) {
        return of(who, deed, box) == Verdict.ALLOWED;
    }

    private static void refuse(Verdict verdict, Principal who, Deed deed, String said) {
        switch (verdict) {
            case ALLOWED -> {}
            case HIDDEN -> throw noBox(said);
            case BEYOND_TOKEN ->
                throw new BoxdException(
                        ErrorCode.PERMISSION_DENIED,
                        "this token is not for " + deed.verb() + (who.scopes().readOnly() ? ": it only reads" : ""),
                        "boxd whoami shows what it is for. Whoever made it can make another: boxd token create.",
                        null);
            case NOT_THEIRS ->
                throw new BoxdException(
                        ErrorCode.PERMISSION_DENIED,
                        isForAdministrators(deed)
                                ? deed.verb() + " is for administrators of this server"
                                : said + " is shared with " + who.name() + ", but " + deed.verb() + " is for its owner",
                        isForAdministrators(deed)
                                ? "Ask one of them."
                                : "Fork it: the copy is yours. boxd info " + said + " shows who has it.",
                        null);
        }
    }

    private static boolean isForAdministrators(Deed deed) {
        return deed.right() == Right.HOST || deed.right() == Right.INSPECT;
    }

    /** What whoever asks for a box that is not there is told, too. */
    public static BoxdException noBox(String said) {
        return new BoxdException(ErrorCode.NOT_FOUND, "there is no box " + said, "See them all: boxd list.", null);
    }
}
