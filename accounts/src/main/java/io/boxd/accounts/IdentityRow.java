package io.boxd.accounts;

import java.time.Instant;

/**
 * Who a user is elsewhere: whoever logs in there as this is that user here.
 *
 * @param subject what the issuer calls them; it never gives that to another, as it may do with names and addresses
 * @param shown for people, such as a mail address; nothing is decided by it
 */
public record IdentityRow(String issuer, String subject, String user, String shown, Instant linkedAt)
        implements AccountRow {
    @Override
    public String key() {
        return key(issuer, subject);
    }

    /** No issuer's address has a blank in it. */
    static String key(String issuer, String subject) {
        return issuer + " " + subject;
    }
}
