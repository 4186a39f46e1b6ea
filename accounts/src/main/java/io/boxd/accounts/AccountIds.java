package io.boxd.accounts;

import java.security.SecureRandom;
import java.util.HexFormat;

/** Ids that are never given twice, made where commands are made and never where they are applied. */
public final class AccountIds {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int ID_BYTES = 8;

    private AccountIds() {}

    public static String user() {
        return "usr_" + HexFormat.of().formatHex(bytes(ID_BYTES));
    }

    public static String organisation() {
        return "org_" + HexFormat.of().formatHex(bytes(ID_BYTES));
    }

    public static String token() {
        return "tok_" + HexFormat.of().formatHex(bytes(ID_BYTES));
    }

    public static String invitation() {
        return "inv_" + HexFormat.of().formatHex(bytes(ID_BYTES));
    }

    /** The secret of a token, to be shown once. */
    public static String tokenSecret() {
        return Secrets.token(bytes(Secrets.BYTES));
    }

    /** The secret of an invitation, to be shown once. */
    public static String invitationSecret() {
        return Secrets.invitation(bytes(Secrets.BYTES));
    }

    private static byte[] bytes(int count) {
        byte[] bytes = new byte[count];
        RANDOM.nextBytes(bytes);
        return bytes;
    }
}
