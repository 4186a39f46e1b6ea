package io.boxd.accounts;

/** One thing that is written down of accounts. */
public sealed interface AccountRow permits UserRow, KeyRow, TokenRow, OrganisationRow, InvitationRow, IdentityRow {
    /** What it is called among those of its kind; never given to another. */
    String key();

    default RowKind kind() {
        return switch (this) {
            case UserRow _ -> RowKind.USER;
            case KeyRow _ -> RowKind.KEY;
            case TokenRow _ -> RowKind.TOKEN;
            case OrganisationRow _ -> RowKind.ORGANISATION;
            case InvitationRow _ -> RowKind.INVITATION;
            case IdentityRow _ -> RowKind.IDENTITY;
        };
    }
}
