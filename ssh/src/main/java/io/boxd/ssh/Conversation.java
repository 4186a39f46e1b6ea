package io.boxd.ssh;

import java.io.InputStream;
import java.io.OutputStream;
import java.util.Map;
import java.util.Optional;

/** One session of a client, as a door sees it: streams, perhaps a terminal, and what happens to them. */
interface Conversation {
    /** The client's terminal. */
    record Terminal(String type, int rows, int columns) {}

    /** Whoever wants to know what happens; called one after the other, on a thread that may wait. */
    interface Listener {
        void resized(Terminal terminal);

        /** A signal is for the command, named without {@code SIG}. */
        void signalled(String name);

        void left(Leaving how);
    }

    Wish wish();

    Optional<Terminal> terminal();

    Map<String, String> environment();

    InputStream input();

    OutputStream output();

    OutputStream errors();

    /** From now on; what happened before is told at once. */
    void listen(Listener listener);
}
