package io.boxd.control;

import io.boxd.accounts.Principal;
import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.util.Optional;

/**
 * Who says something, and from where; every door hands one on with everything that is said to it.
 *
 * @param who as the rows had them when they came; nobody that is known, for what is refused at the door
 * @param shown by what they are known, where a door was shown something
 * @param door through which it came
 * @param remote the address from which it came
 * @param request the id of the request, if it has one
 */
public record Caller(
        Optional<Principal> who, Optional<Credential> shown, String door, String remote, Optional<String> request) {
    private static final String UNKNOWN = "unknown";

    /** Somebody who is known without having shown anything. */
    public static Caller of(Principal who, String door, String remote, Optional<String> request) {
        return new Caller(Optional.of(who), Optional.empty(), door, remote, request);
    }

    /** Somebody before it is known who they are. */
    public static Caller stranger(String door, String remote, Optional<String> request) {
        return new Caller(Optional.empty(), Optional.empty(), door, remote, request);
    }

    /** The same, now that they have shown who they are. */
    public Caller known(Principal principal, Credential credential) {
        return new Caller(Optional.of(principal), Optional.of(credential), door, remote, request);
    }

    /** In whose name. */
    String account() {
        return who.map(Principal::name).orElse(UNKNOWN);
    }

    /** The id of the token that was shown, never the token. */
    Optional<String> token() {
        return who.flatMap(Principal::token);
    }

    /** Who they are; throws if that is not known. */
    public Principal principal() {
        return who.orElseThrow(() -> new BoxdException(
                ErrorCode.UNAUTHENTICATED, "nobody knows who asks for this", "Log in: boxd login.", null));
    }
}
