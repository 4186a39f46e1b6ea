package io.boxd.control;

import java.util.Optional;

/**
 * Who says something, and from where; every door hands one on with everything that is said to it.
 *
 * @param account in whose name
 * @param token the id of the token that was shown, never the token
 * @param door through which it came
 * @param remote the address from which it came
 * @param request the id of the request, if it has one
 */
public record Caller(String account, Optional<String> token, String door, String remote, Optional<String> request) {
    /** The account of whoever has the instance's own token. */
    public static final String LOCAL = "local";

    /** Nobody that is known, for what is refused at the door. */
    public static final String UNKNOWN = "unknown";

    /** Whoever has the instance's own token. */
    public static Caller local(String door, String remote, Optional<String> request) {
        return new Caller(LOCAL, Optional.empty(), door, remote, request);
    }

    /** The same before anybody knows who it is. */
    public Caller unknown() {
        return new Caller(UNKNOWN, Optional.empty(), door, remote, request);
    }
}
