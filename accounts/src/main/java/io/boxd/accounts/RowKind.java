package io.boxd.accounts;

import java.util.Locale;

/** The kinds of rows, in the order in which they are written out. */
public enum RowKind {
    USER(UserRow.class),
    KEY(KeyRow.class),
    TOKEN(TokenRow.class),
    ORGANISATION(OrganisationRow.class),
    INVITATION(InvitationRow.class),
    IDENTITY(IdentityRow.class);

    private final Class<? extends AccountRow> type;

    RowKind(Class<? extends AccountRow> type) {
        this.type = type;
    }

    /** What a row of this kind is read as. */
    public Class<? extends AccountRow> type() {
        return type;
    }

    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
