package io.boxd.ssh;

import io.boxd.common.BoxdException;
import java.io.IOException;
import java.io.OutputStream;

/**
 * A client's terminal: its keys go to whoever wants them at the moment, and to nobody else.
 *
 * <p>One thread reads the keys all the time, so that none is lost between a prompt and a command.
 */
final class ClientTerminal implements InputTaker, Conversation.Listener {
    private final Conversation conversation;
    private final ScreenOutput screen;
    private final Runnable interrupt;
    private InputTaker owner;
    private Conversation.Listener ownersListener;
    private volatile InputTaker keys;
    private volatile Conversation.Listener listener;
    private volatile Conversation.Terminal size;
    private volatile boolean gone;

    ClientTerminal(Conversation conversation, Conversation.Terminal size, Runnable interrupt) {
        this.conversation = conversation;
        this.size = size;
        this.interrupt = interrupt;
        this.screen = new ScreenOutput(conversation.output());
        this.owner = new TypedKeys(nobody(), OutputStream.nullOutputStream(), interrupt);
        this.ownersListener = quiet();
        this.keys = owner;
        this.listener = ownersListener;
    }

    void begin() {
        conversation.listen(this);
        InputPump.start(conversation.input(), this);
    }

    private static InputTaker nobody() {
        return new InputTaker() {
            @Override
            public void take(byte[] bytes, int offset, int length) {
                // Typed while nothing reads.
            }

            @Override
            public void end() {
                // Nobody waits for it.
            }
        };
    }

    private Conversation.Listener quiet() {
        return new Conversation.Listener() {
            @Override
            public void resized(Conversation.Terminal terminal) {
                // Whoever shows something next looks at the size.
            }

            @Override
            public void signalled(String name) {
                if (name.equals("INT")) {
                    interrupt.run();
                }
            }

            @Override
            public void left(Leaving how) {
                interrupt.run();
            }
        };
    }

    /** Whose keys are when they are lent to nobody. */
    void belongTo(InputTaker newOwner, Conversation.Listener newListener) {
        owner = newOwner;
        ownersListener = newListener;
        takeBack();
    }

    /** From now on keys, and what else happens, are for these. */
    void lend(InputTaker taker, Conversation.Listener newListener) {
        listener = newListener;
        keys = taker;
    }

    /** Keys as lines, for those. */
    void lendLines(InputTaker lines) {
        lend(new TypedKeys(lines, conversation.output(), interrupt), quiet());
    }

    /** Keys are for whom they belong to again. */
    void takeBack() {
        lend(owner, ownersListener);
    }

    @Override
    public void take(byte[] bytes, int offset, int length) throws IOException {
        InputTaker to = keys;
        try {
            to.take(bytes, offset, length);
        } catch (IOException | BoxdException e) {
            // A command that has just ended; the terminal goes on.
            if (to.equals(keys)) {
                takeBack();
            }
        }
    }

    @Override
    public void end() throws IOException {
        keys.end();
    }

    @Override
    public void resized(Conversation.Terminal terminal) {
        size = terminal;
        listener.resized(terminal);
    }

    @Override
    public void signalled(String name) {
        listener.signalled(name);
    }

    @Override
    public void left(Leaving how) {
        gone = true;
        listener.left(how);
    }

    boolean isGone() {
        return gone;
    }

    Conversation.Terminal size() {
        return size;
    }

    /** For lines. */
    OutputStream screen() {
        return screen;
    }

    /** For what a command in a box shows on a terminal of its own. */
    OutputStream raw() {
        return conversation.output();
    }
}
