package io.boxd.ssh;

import io.boxd.console.Console;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Where a client of the control door sits: its streams as verbs see them, with or without a terminal. */
final class Seat {
    private static final int PIPE_BYTES = 64 * 1024;

    private final Conversation conversation;
    private volatile Runnable interruption = () -> {};
    private final Optional<ClientTerminal> terminal;

    private Seat(Conversation conversation) {
        this.conversation = conversation;
        this.terminal = conversation.terminal().map(size -> new ClientTerminal(conversation, size, this::interrupt));
    }

    /** Begins to read keys, if there is a terminal. */
    static Seat at(Conversation conversation) {
        Seat seat = new Seat(conversation);
        seat.terminal.ifPresent(ClientTerminal::begin);
        return seat;
    }

    Conversation conversation() {
        return conversation;
    }

    Optional<ClientTerminal> terminal() {
        return terminal;
    }

    /** What Ctrl-C does from now on. */
    void whenInterrupted(Runnable action) {
        interruption = action;
    }

    void interrupt() {
        interruption.run();
    }

    OutputStream output() {
        return terminal.map(ClientTerminal::screen).orElse(conversation.output());
    }

    OutputStream errors() {
        return terminal.map(ClientTerminal::screen).orElse(conversation.errors());
    }

    /** What the client sends, from now on. */
    InputStream input() throws IOException {
        if (terminal.isEmpty()) {
            return conversation.input();
        }
        PipedOutputStream lines = new PipedOutputStream();
        terminal.get().lendLines(new InputTaker() {
            @Override
            public void take(byte[] bytes, int offset, int length) throws IOException {
                lines.write(bytes, offset, length);
                lines.flush();
            }

            @Override
            public void end() throws IOException {
                lines.close();
            }
        });
        return new PipedInputStream(lines, PIPE_BYTES);
    }

    /** A console over these streams. */
    Console console(InputStream input, OutputStream output, OutputStream errors) {
        boolean typed = terminal.isPresent();
        return new Console(environment(), input, output, errors, this::columns, typed, typed, typed);
    }

    private Map<String, String> environment() {
        Map<String, String> environment = new HashMap<>(conversation.environment());
        terminal.ifPresent(it -> environment.put("TERM", it.size().type()));
        return environment;
    }

    private int columns() {
        return terminal.map(it -> it.size().columns()).orElse(80);
    }
}
