package io.boxd.control;

import io.boxd.common.BoxdException;
import io.boxd.verbs.Verb;
import io.boxd.worker.RequestKey;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The one entry for every door: a verb and what was said with it, and the answer; streams and files beside it.
 *
 * <p>Thread-safe; calls wait, so each has a thread of its own. All that goes in and out can be said over a wire, too:
 * a door does not know whether control is in its own process.
 */
public interface Control {
    /** What a key is by which a repeated request is known, as a regular expression. */
    String KEY_PATTERN = RequestKey.PATTERN;

    /** The same caller, now that it is known who they are; throws if what they show does not count. */
    Caller identify(Caller stranger, Credential shown);

    /** For those whom nobody knows yet. */
    ObjectNode ways();

    /** Somebody begins to log in elsewhere; who is known already is known by that, too, when it is done. */
    ObjectNode beginLogin(Caller caller);

    /** How far a login is; when it is done, with a token. */
    ObjectNode login(Caller caller, String handle);

    /** Somebody follows an invitation and becomes a user, with a token. */
    ObjectNode enter(Caller caller, String invitation, String name, Optional<String> key);

    /** Does what is said and answers; fields are those of the verb's parameters. */
    default JsonNode call(Caller caller, String name, ObjectNode said) {
        return call(caller, name, said, Optional.empty());
    }

    /** The same for a request that may be repeated: under the same key nothing is made twice. */
    JsonNode call(Caller caller, String name, ObjectNode said, Optional<String> key);

    /** Runs a command and takes part in it. */
    ExecutionStream exec(Caller caller, ObjectNode said);

    /** Takes part in a command that was begun before. */
    ExecutionStream attach(Caller caller, ObjectNode said);

    /**
     * Runs a program whose bytes only pass through; for what moves much and is asked by a program, such as {@code scp},
     * {@code rsync} and {@code git}. What is said is as with {@link #exec}, without a terminal; {@code files} instead
     * of a command runs the box's own server of files, version 3 of SFTP, in the user's home.
     */
    BoxProgram program(Caller caller, ObjectNode said);

    /**
     * Connects from inside a box. Fails with {@code permission_denied} if that is not allowed, {@code unavailable},
     * {@code timeout} or {@code not_found} if nobody answers there, {@code resource_exhausted} if there are too many.
     */
    BoxConnection dial(Caller caller, DialOrder order);

    /** Listens inside a box for connections that are to come out of it. */
    BoxListener listen(Caller caller, ListenOrder order);

    /** What a command, or the console, has said. */
    BoxStream logs(Caller caller, ObjectNode said);

    /** What goes on happening, for verbs that can be followed; nothing but that can be asked for so. */
    Following follow(Caller caller, String name, ObjectNode said);

    /** Files in boxes, as somebody may see and change them. */
    BoxFiles files(Caller caller);

    /**
     * Lets somebody in to what a box serves, and wakes it for them if it sleeps, however many come at once. Nobody is
     * woken for those who may not come in: they get {@code not_found}, as if there were no such box.
     *
     * <p>Fails with {@code wrong_state} if the box is stopped or has failed, {@code unavailable} if it has no port to lead
     * to, {@code timeout} if it takes too long to wake, {@code resource_exhausted} if strangers have woken it too often.
     */
    BoxVisit visit(Caller caller, VisitOrder order);

    /** Throws unless they may do this to this box; for doors that must know before they begin to stream. */
    void requireBox(Caller caller, Verb verb, String box);

    /** How many boxes are in each status, all of them named. */
    Map<String, Long> census();

    /** A door has turned somebody away before anything was done. */
    void refused(Caller caller, String what, BoxdException failure);

    /** The same, of whom there were too many for each to be written down: it is only counted. */
    void refusedOften();
}
