package io.boxd.login;

/** How far a login is. */
public sealed interface Progress {
    /** The person has not finished; ask again, not too soon. */
    record Pending(boolean slower) implements Progress {}

    record Done(Person person) implements Progress {}

    /** It will not come to anything. */
    record Failed(String reason) implements Progress {}
}
