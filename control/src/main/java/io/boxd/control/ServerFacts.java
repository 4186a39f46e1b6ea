package io.boxd.control;

import org.jspecify.annotations.Nullable;

/**
 * Which server this is and where it answers, as {@code server.json} says it.
 *
 * @param url at which it is asked
 * @param accel what machines run with
 * @param startedAt RFC 3339, in UTC
 * @param certificate the file with the authority that certifies this server's TLS; older servers have none
 */
public record ServerFacts(
        long pid,
        String version,
        String url,
        String home,
        String accel,
        Ports ports,
        String startedAt,
        @Nullable String certificate) {
    /**
     * At which ports its doors are.
     *
     * @param https nothing if an older server wrote this
     * @param dns of UDP and TCP; nothing if there is none
     */
    public record Ports(
            int http, @Nullable Integer https, @Nullable Integer dns) {}
}
