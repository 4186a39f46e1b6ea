package io.boxd.control;

/**
 * Which server this is and where it answers, as {@code server.json} says it.
 *
 * @param url at which it is asked
 * @param accel what machines run with
 * @param startedAt RFC 3339, in UTC
 */
public record ServerFacts(
        long pid, String version, String url, String home, String accel, Ports ports, String startedAt) {
    /** At which ports its doors are. */
    public record Ports(int http) {}
}
