package io.boxd.accounts;

/** One row that a command changes. */
public sealed interface AccountChange {
    record Put(AccountRow row) implements AccountChange {}

    record Drop(RowKind kind, String key) implements AccountChange {}
}
