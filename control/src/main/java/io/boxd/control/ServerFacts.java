package io.boxd.control;

import org.jspecify.annotations.Nullable;

/**
 * Which server this is and where it answers, as {@code server.json} says it.
 *
 * @param url at which it is asked
 * @param accel what machines run with
 * @param startedAt RFC 3339, in UTC
 * @param certificate the file with the authority that certifies this server's TLS; older servers have none
 * @param ssh where its doors of SSH are, if it has any
 */
public record ServerFacts(
        long pid,
        String version,
        String url,
        String home,
        String accel,
        Ports ports,
        String startedAt,
        @Nullable String certificate,
        @Nullable Ssh ssh) {
    private static final int USUAL_PORT = 22;

    /**
     * At which ports its doors are.
     *
     * @param https nothing if an older server wrote this
     * @param ssh nothing if it has no such door
     * @param dns of UDP and TCP; nothing if there is none
     */
    public record Ports(
            int http,
            @Nullable Integer https,
            @Nullable Integer ssh,
            @Nullable Integer dns) {}

    /**
     * How its doors of SSH are reached, and known.
     *
     * @param host as clients call it
     * @param alias a name that no other server has, under which clients can keep it
     * @param authority that vouches for its host key, as it stands in files of OpenSSH
     */
    public record Ssh(String host, int port, String alias, String authority) {
        /** What somebody types for a session in this box. */
        public String command(String box) {
            return "ssh " + (port == USUAL_PORT ? "" : "-p " + port + " ") + box + "@" + host;
        }
    }
}
