package io.boxd.chronicle;

import java.util.List;

/** What must be remembered of webhooks, whatever ends the server; each change lasts when it returns. */
interface WebhookStore {
    /** Oldest first. */
    List<Webhook> all();

    /** A new one; the cursor is the number of the last event that it is not told of. */
    void add(Webhook hook, long cursor);

    void remove(String hook);

    /** The number of the last event that it was told of, or that was given up. */
    long cursor(String hook);

    void moveTo(String hook, long cursor);

    /** Events that were given up, oldest first. */
    List<DeadLetter> dead(String hook);

    void dead(String hook, List<DeadLetter> letters);
}
