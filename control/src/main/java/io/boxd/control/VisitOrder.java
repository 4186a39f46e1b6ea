package io.boxd.control;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.util.Optional;

/**
 * Somebody comes to a box by one of its names, to speak with what serves there.
 *
 * @param box its name; nothing else leads to it
 * @param port where to; nobody said: what the box answers by
 * @param link that they have been given, if they show one
 * @param counts whether the box is to notice: whoever only looks whether it is well neither wakes it nor keeps it awake
 */
public record VisitOrder(String box, Optional<Integer> port, Optional<String> link, boolean counts) {
    /** What visitors are told of a box that is not there, or not for them. */
    public static BoxdException nobody(String box) {
        return new BoxdException(
                ErrorCode.NOT_FOUND,
                "there is no box " + box,
                "Is the name right? Private ones are there only for those who show a token, or a link.",
                null);
    }

    /** The name under which a link is shown in a URL, and then in a cookie. */
    public static final String LINK = "boxd-link";
}
