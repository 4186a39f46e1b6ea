package io.boxd.cli;

import io.boxd.common.BoxdException;
import io.boxd.common.PlainJson;
import io.boxd.verbs.Harmless;
import io.boxd.verbs.Look;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** This process's input, output and error streams, and what is known of who is behind them. */
final class Console {
    private final Map<String, String> environment;
    private final InputStream input;
    private final OutputStream output;
    private final OutputStream errors;
    private final boolean[] terminals;

    Console(
            Map<String, String> environment,
            InputStream input,
            OutputStream output,
            OutputStream errors,
            boolean... terminals) {
        this.environment = Map.copyOf(environment);
        this.input = input;
        this.output = output;
        this.errors = errors;
        this.terminals = terminals.clone();
    }

    /** That of this process, without buffers between. */
    static Console ofProcess() {
        return new Console(
                System.getenv(),
                new FileInputStream(FileDescriptor.in),
                new FileOutputStream(FileDescriptor.out),
                new FileOutputStream(FileDescriptor.err),
                Terminal.isAt(0),
                Terminal.isAt(1),
                Terminal.isAt(2));
    }

    Map<String, String> environment() {
        return environment;
    }

    InputStream input() {
        return input;
    }

    boolean isInputTerminal() {
        return terminals[0];
    }

    boolean isOutputTerminal() {
        return terminals[1];
    }

    boolean isErrorTerminal() {
        return terminals[2];
    }

    /** As wide as the terminal; where there is none, nothing is cut that need not be. */
    Look look() {
        int columns = isOutputTerminal() ? Terminal.size().columns() : 140;
        boolean colours =
                isOutputTerminal() && environment.getOrDefault("NO_COLOR", "").isEmpty() && !isPlain();
        return new Look(columns, colours, Instant.now());
    }

    /** Whether the terminal can do nothing but print. */
    boolean isPlain() {
        return environment.getOrDefault("TERM", "dumb").equals("dumb");
    }

    void print(String text) throws BrokenOutputException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        write(bytes, 0, bytes.length);
    }

    void write(byte[] bytes, int offset, int length) throws BrokenOutputException {
        write(output, bytes, offset, length);
    }

    /** Bytes of a command, to the stream to which it wrote them. */
    void write(int channel, ByteBuffer bytes) throws BrokenOutputException {
        OutputStream to = channel == StreamMessage.STDERR ? errors : output;
        write(to, bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.remaining());
    }

    private static void write(OutputStream to, byte[] bytes, int offset, int length) throws BrokenOutputException {
        try {
            to.write(bytes, offset, length);
            to.flush();
        } catch (IOException e) {
            throw new BrokenOutputException(e);
        }
    }

    /** A line for people, on the error stream; it is no matter if nobody hears it. */
    void tell(String line) {
        // A terminal in raw mode needs to be told to go back to the line's start.
        tellRaw("boxd: " + line + (isErrorTerminal() ? "\r\n" : "\n"));
    }

    void tellRaw(String text) {
        try {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            write(errors, bytes, 0, bytes.length);
        } catch (BrokenOutputException e) {
            return;
        }
    }

    /** An error: one line and its hint, or JSON. */
    void fail(BoxdException error, boolean json) {
        String message = String.valueOf(error.getMessage());
        @Nullable String hint = error.hint();
        if (json) {
            Map<String, @Nullable Object> fields = new LinkedHashMap<>();
            fields.put("code", error.code().wireName());
            fields.put("message", message);
            fields.put("hint", hint);
            tellRaw(PlainJson.write(Map.of("error", fields)) + "\n");
        } else {
            tell(Harmless.line(message));
            if (hint != null) {
                tellRaw("  " + Harmless.line(hint) + (isErrorTerminal() ? "\r\n" : "\n"));
            }
        }
    }
}
