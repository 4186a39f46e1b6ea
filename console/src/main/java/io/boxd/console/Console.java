package io.boxd.console;

import io.boxd.common.BoxdException;
import io.boxd.common.PlainJson;
import io.boxd.verbs.Harmless;
import io.boxd.verbs.Look;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/** Somebody's input, output and error streams, and what is known of who is behind them. */
public final class Console {
    private final Map<String, String> environment;
    private final InputStream input;
    private final OutputStream output;
    private final OutputStream errors;
    private final IntSupplier columns;
    private final boolean[] terminals;

    /**
     * Over these streams.
     *
     * @param columns how wide the terminal is, asked only if the output is one
     * @param terminals whether input, output and errors are terminals
     */
    public Console(
            Map<String, String> environment,
            InputStream input,
            OutputStream output,
            OutputStream errors,
            IntSupplier columns,
            boolean... terminals) {
        this.environment = Map.copyOf(environment);
        this.input = input;
        this.output = output;
        this.errors = errors;
        this.columns = columns;
        this.terminals = terminals.clone();
    }

    public Map<String, String> environment() {
        return environment;
    }

    public InputStream input() {
        return input;
    }

    public boolean isInputTerminal() {
        return terminals[0];
    }

    public boolean isOutputTerminal() {
        return terminals[1];
    }

    public boolean isErrorTerminal() {
        return terminals[2];
    }

    /** As wide as the terminal; where there is none, nothing is cut that need not be. */
    public Look look() {
        int width = isOutputTerminal() ? columns.getAsInt() : 140;
        boolean colours =
                isOutputTerminal() && environment.getOrDefault("NO_COLOR", "").isEmpty() && !isPlain();
        return new Look(width, colours, Instant.now());
    }

    /** Whether the terminal can do nothing but print. */
    public boolean isPlain() {
        return environment.getOrDefault("TERM", "dumb").equals("dumb");
    }

    public void print(String text) throws BrokenOutputException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        write(bytes, 0, bytes.length);
    }

    public void write(byte[] bytes, int offset, int length) throws BrokenOutputException {
        write(output, bytes, offset, length);
    }

    /** Bytes of a command, to the stream to which it wrote them. */
    public void write(boolean error, ByteBuffer bytes) throws BrokenOutputException {
        OutputStream to = error ? errors : output;
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
    public void tell(String line) {
        // A terminal in raw mode needs to be told to go back to the line's start.
        tellRaw("boxd: " + line + (isErrorTerminal() ? "\r\n" : "\n"));
    }

    public void tellRaw(String text) {
        try {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            write(errors, bytes, 0, bytes.length);
        } catch (BrokenOutputException e) {
            return;
        }
    }

    /** An error: one line and its hint, or JSON. */
    public void fail(BoxdException error, boolean json) {
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
