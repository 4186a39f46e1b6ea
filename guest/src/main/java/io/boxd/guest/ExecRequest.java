package io.boxd.guest;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A command for a machine. Immutable; {@code with…} methods return changed copies.
 *
 * @param user whose command it is; empty means root
 * @param cwd where it starts; empty means the user's home
 * @param terminal the size of its terminal, or null for three pipes
 * @param stdin whether input will be sent; without, it reads from /dev/null
 * @param keepBytes how much of its output the machine keeps for clients that come later; 0 means 16 MiB
 */
public record ExecRequest(
        Kind kind,
        List<String> arguments,
        Map<String, String> environment,
        String user,
        String cwd,
        @Nullable TerminalSize terminal,
        boolean stdin,
        long keepBytes) {
    /** How the arguments are to be understood. */
    public enum Kind {
        /** A program, looked up in PATH, and its arguments. */
        ARGUMENTS(0),
        /** One text for the user's login shell. */
        SHELL(1),
        /** The login shell itself, without arguments. */
        LOGIN(2),
        /** The machine's own server of files, version 3 of SFTP. */
        FILES(3);

        private final int wireValue;

        Kind(int wireValue) {
            this.wireValue = wireValue;
        }
    }

    /** What becomes of a command's output, and of the command when nobody listens any more. */
    enum Manner {
        /** Kept; the command goes on. */
        KEPT(0),
        /** Kept until its end was told to somebody. */
        FLEETING(4),
        /** Only passed through; the command ends with its stream. */
        PASSING(8);

        private final int flag;

        Manner(int flag) {
            this.flag = flag;
        }
    }

    /** Rows and columns of characters. */
    public record TerminalSize(int rows, int columns) {
        private static final int MAX = 65_535;

        public TerminalSize {
            if (rows < 1 || columns < 1 || rows > MAX || columns > MAX) {
                throw new BoxdException(ErrorCode.INVALID_ARGUMENT, "no terminal has " + rows + " × " + columns);
            }
        }
    }

    private static final int TERMINAL_FLAG = 1;
    private static final int STDIN_FLAG = 2;

    public ExecRequest {
        arguments = List.copyOf(arguments);
        environment = Map.copyOf(environment);
        if (kind == Kind.ARGUMENTS
                && (arguments.isEmpty() || arguments.getFirst().isEmpty())) {
            throw new BoxdException(ErrorCode.INVALID_ARGUMENT, "a command needs a program");
        }
        if (arguments.size() > Wire.MAX_ARGUMENTS || environment.size() > Wire.MAX_VARIABLES) {
            throw new BoxdException(ErrorCode.INVALID_ARGUMENT, "a command has too many arguments or variables");
        }
        if (keepBytes < 0 || keepBytes > Wire.MAX_KEPT_BYTES) {
            throw new BoxdException(
                    ErrorCode.INVALID_ARGUMENT,
                    "a machine keeps at most " + (Wire.MAX_KEPT_BYTES >> 20) + " MiB of an execution's output");
        }
        for (String name : environment.keySet()) {
            if (name.isEmpty() || name.indexOf('=') >= 0) {
                throw new BoxdException(ErrorCode.INVALID_ARGUMENT, "no variable can have the name '" + name + "'");
            }
        }
    }

    public static ExecRequest argv(String... arguments) {
        return argv(List.of(arguments));
    }

    public static ExecRequest argv(List<String> arguments) {
        return new ExecRequest(Kind.ARGUMENTS, arguments, Map.of(), "", "", null, false, 0);
    }

    public static ExecRequest shell(String text) {
        return new ExecRequest(Kind.SHELL, List.of(text), Map.of(), "", "", null, false, 0);
    }

    /** The user's login shell, as at a console. */
    public static ExecRequest login() {
        return new ExecRequest(Kind.LOGIN, List.of(), Map.of(), "", "", null, false, 0);
    }

    /** The machine's own server of files, which speaks version 3 of SFTP. */
    public static ExecRequest files() {
        return new ExecRequest(Kind.FILES, List.of(), Map.of(), "", "", null, false, 0);
    }

    public ExecRequest withEnvironment(String name, String value) {
        Map<String, String> more = new TreeMap<>(environment);
        more.put(name, value);
        return new ExecRequest(kind, arguments, more, user, cwd, terminal, stdin, keepBytes);
    }

    public ExecRequest withEnvironment(Map<String, String> variables) {
        Map<String, String> more = new TreeMap<>(environment);
        more.putAll(variables);
        return new ExecRequest(kind, arguments, more, user, cwd, terminal, stdin, keepBytes);
    }

    public ExecRequest withCwd(String newCwd) {
        return new ExecRequest(kind, arguments, environment, user, newCwd, terminal, stdin, keepBytes);
    }

    public ExecRequest withUser(String newUser) {
        return new ExecRequest(kind, arguments, environment, newUser, cwd, terminal, stdin, keepBytes);
    }

    public ExecRequest withPty(int rows, int columns) {
        return new ExecRequest(
                kind, arguments, environment, user, cwd, new TerminalSize(rows, columns), stdin, keepBytes);
    }

    public ExecRequest withStdin(boolean open) {
        return new ExecRequest(kind, arguments, environment, user, cwd, terminal, open, keepBytes);
    }

    public ExecRequest withKeepBytes(long bytes) {
        return new ExecRequest(kind, arguments, environment, user, cwd, terminal, stdin, bytes);
    }

    byte[] encode(ExecutionId id, Manner manner) {
        int rows = terminal == null ? 0 : terminal.rows();
        int columns = terminal == null ? 0 : terminal.columns();
        int flags = (terminal == null ? 0 : TERMINAL_FLAG) | (stdin ? STDIN_FLAG : 0) | manner.flag;
        PayloadWriter writer = new PayloadWriter()
                .bytes(id.bytes())
                .u64(keepBytes)
                .u8(kind.wireValue)
                .u8(flags)
                .u16(rows)
                .u16(columns)
                .text(user, Wire.MAX_NAME_BYTES)
                .text(cwd, Wire.MAX_PATH_BYTES)
                .u16(arguments.size());
        arguments.forEach(argument -> writer.longText(argument, Wire.MAX_EXEC_BYTES));
        writer.u16(environment.size());
        environment.forEach((name, value) -> writer.longText(name + "=" + value, Wire.MAX_EXEC_BYTES));
        byte[] encoded = writer.toBytes();
        if (encoded.length > Wire.MAX_EXEC_BYTES) {
            throw new BoxdException(
                    ErrorCode.INVALID_ARGUMENT,
                    "a command of " + encoded.length + " bytes is longer than the limit of " + Wire.MAX_EXEC_BYTES,
                    "Send long texts through standard input.",
                    null);
        }
        return encoded;
    }
}
