package io.boxd.control;

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
    /** The name under which a link is shown in a URL, and then in a cookie. */
    public static final String LINK = "boxd-link";
}
