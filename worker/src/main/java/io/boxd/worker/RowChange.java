package io.boxd.worker;

/** One row that a command changes. */
sealed interface RowChange {
    record PutBox(BoxRow row) implements RowChange {}

    record DropBox(String id) implements RowChange {}

    record PutSnapshot(KeptRow row) implements RowChange {}

    record DropSnapshot(String id) implements RowChange {}

    record PutBoot(String boot) implements RowChange {}

    record PutKey(KeyRow row) implements RowChange {}

    record DropKey(String id) implements RowChange {}
}
