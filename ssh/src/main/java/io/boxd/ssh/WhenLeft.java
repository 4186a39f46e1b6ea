package io.boxd.ssh;

/** For whoever wants to know only that the client has gone, or wants an end. */
record WhenLeft(Runnable action) implements Conversation.Listener {
    @Override
    public void resized(Conversation.Terminal terminal) {
        // There is no terminal.
    }

    @Override
    public void signalled(String name) {
        if (name.equals("INT") || name.equals("TERM") || name.equals("HUP")) {
            action.run();
        }
    }

    @Override
    public void left(Leaving how) {
        action.run();
    }
}
