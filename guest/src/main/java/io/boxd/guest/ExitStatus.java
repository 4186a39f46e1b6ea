package io.boxd.guest;

/** How a command ended, exactly. */
public sealed interface ExitStatus {
    /** It ended by itself with this code, 0 to 255. */
    record Exited(int code) implements ExitStatus {}

    /** A signal ended it. */
    record Killed(int signal, boolean core) implements ExitStatus {}

    default boolean succeeded() {
        return this instanceof Exited(int code) && code == 0;
    }

    /** The status as shells number it: 128 more than the signal if one ended the command. */
    default int shellCode() {
        return switch (this) {
            case Exited(int code) -> code;
            case Killed(int signal, boolean _) -> 128 + signal;
        };
    }
}
