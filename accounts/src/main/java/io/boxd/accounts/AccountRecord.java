package io.boxd.accounts;

/**
 * What must be remembered of accounts, whatever ends the server.
 *
 * <p>Changed by commands only: the same commands in the same order make the same rows, anywhere.
 */
public interface AccountRecord {
    /** All rows, as the last command left them. */
    AccountRows rows();

    /** Applies a command, or throws and changes nothing; it lasts when this returns. */
    AccountRows apply(AccountCommand command);
}
