package io.boxd.ssh;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.jline.terminal.Size;
import org.jline.terminal.Terminal;
import org.jline.terminal.impl.LineDisciplineTerminal;

/** A client's terminal as the editor of lines sees it: keys come in, Ctrl-C among them, and its end does, too. */
final class PromptScreen extends LineDisciplineTerminal implements InputTaker, Conversation.Listener {
    private final Runnable interrupt;

    /** @param interrupt what Ctrl-C does while no line is edited */
    PromptScreen(Conversation.Terminal size, OutputStream output, Runnable interrupt) throws IOException {
        super("boxd", TerminalType.known(size.type()), new ForgivingOutput(output), StandardCharsets.UTF_8);
        this.interrupt = interrupt;
        setSize(Size.of(size.columns(), size.rows()));
        handle(Signal.INT, _ -> interrupt.run());
    }

    @Override
    public void take(byte[] bytes, int offset, int length) throws IOException {
        processInputBytes(bytes, offset, length);
    }

    @Override
    public void end() throws IOException {
        slaveInputPipe.close();
    }

    @Override
    public void resized(Conversation.Terminal now) {
        setSize(Size.of(now.columns(), now.rows()));
        raise(Terminal.Signal.WINCH);
    }

    @Override
    public void signalled(String name) {
        if (name.equals("INT")) {
            raise(Terminal.Signal.INT);
        }
    }

    @Override
    public void left(Leaving how) {
        interrupt.run();
        try {
            end();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
