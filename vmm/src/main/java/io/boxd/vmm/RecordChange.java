package io.boxd.vmm;

/** One change of the record; applying it needs no clock, no chance and no other knowledge. */
public sealed interface RecordChange {
    /** A machine runs now; no other with its identity may. */
    record MachineStarted(MachineRow machine) implements RecordChange {}

    /** A machine's disk has other layers now. */
    record MachineChanged(MachineRow machine) implements RecordChange {}

    /** A machine is gone, with its files. */
    record MachineEnded(String id) implements RecordChange {}

    /** A snapshot is whole and durable. */
    record SnapshotKept(SnapshotRow snapshot) implements RecordChange {}

    /** Nobody wants a snapshot any more. */
    record SnapshotForgotten(String id) implements RecordChange {}
}
