package io.boxd.worker;

/** What a box was made from. */
public sealed interface Origination {
    /** An image, by its name. */
    record FromImage(String image) implements Origination {}

    /** A snapshot, by its id. */
    record FromSnapshot(String snapshot) implements Origination {}

    /** Another box while it ran, by its id. */
    record FromBox(String box) implements Origination {}
}
