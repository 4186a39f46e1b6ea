package io.boxd.inside;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.control.Credential;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;

/**
 * What a process may say because of its pass.
 *
 * @param doors that may be in it
 */
record DoorRights(Set<String> doors) {
    /** The door at which people show keys; it alone is believed that it has seen to it that they have them. */
    static final String KEYS = "ssh";

    private static final String DOORS = "doors ";

    /** How a pass for these doors is called in its certificate. */
    static String name(Set<String> doors) {
        return DOORS + String.join(" ", new TreeSet<>(doors));
    }

    /** Throws unless the certificate is one of a pass. */
    static DoorRights of(X509Certificate certificate) {
        try {
            LdapName name = new LdapName(certificate.getSubjectX500Principal().getName());
            for (Rdn part : name.getRdns()) {
                String value = String.valueOf(part.getValue());
                if (part.getType().equalsIgnoreCase("CN") && value.startsWith(DOORS)) {
                    return new DoorRights(
                            Set.copyOf(List.of(value.substring(DOORS.length()).split(" ", -1))));
                }
            }
        } catch (InvalidNameException e) {
            throw refused(e);
        }
        throw refused(null);
    }

    private static BoxdException refused(@org.jspecify.annotations.Nullable Exception cause) {
        return new BoxdException(
                ErrorCode.PERMISSION_DENIED,
                "this certificate is not that of a door",
                "Make a pass: boxd pass.",
                cause);
    }

    /** Throws unless such a door can have been shown this. */
    void require(Credential shown) {
        switch (shown) {
            case Credential.Token _ -> {}
            case Credential.Key _ -> {
                if (!doors.contains(KEYS)) {
                    throw new BoxdException(
                            ErrorCode.PERMISSION_DENIED,
                            "nobody shows keys at this door",
                            "Only a pass for the " + KEYS + " door can speak for keys: boxd pass.",
                            null);
                }
            }
        }
    }
}
