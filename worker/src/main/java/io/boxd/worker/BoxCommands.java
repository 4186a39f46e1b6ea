package io.boxd.worker;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.common.Json;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Commands as text: a line of JSON that says which, and one with what comes with it.
 *
 * <p>The names are in logs that later versions read: they do not follow when a class is renamed.
 */
final class BoxCommands {
    private record Head(String command) {}

    private record Kind(String name, Class<? extends BoxCommand> type) {}

    private static final List<Kind> KINDS = List.of(
            new Kind("reserve", BoxCommand.Reserve.class),
            new Kind("made", BoxCommand.Made.class),
            new Kind("settle", BoxCommand.Settle.class),
            new Kind("rename", BoxCommand.Rename.class),
            new Kind("label", BoxCommand.Label.class),
            new Kind("sleep", BoxCommand.Sleep.class),
            new Kind("admit", BoxCommand.Admit.class),
            new Kind("resize", BoxCommand.Resize.class),
            new Kind("reach", BoxCommand.Reach.class),
            new Kind("busy", BoxCommand.Busy.class),
            new Kind("remember", BoxCommand.Remember.class),
            new Kind("keep", BoxCommand.Keep.class),
            new Kind("forget", BoxCommand.Forget.class),
            new Kind("intend", BoxCommand.Intend.class),
            new Kind("become", BoxCommand.Become.class),
            new Kind("abandon", BoxCommand.Abandon.class),
            new Kind("doom", BoxCommand.Doom.class),
            new Kind("remove", BoxCommand.Remove.class),
            new Kind("host_seen", BoxCommand.HostSeen.class),
            new Kind("adopt", BoxCommand.Adopt.class),
            new Kind("import", BoxCommand.Import.class));

    private static final Map<String, Kind> BY_NAME =
            KINDS.stream().collect(Collectors.toUnmodifiableMap(Kind::name, Function.identity()));
    private static final Map<Class<?>, Kind> BY_TYPE =
            KINDS.stream().collect(Collectors.toUnmodifiableMap(Kind::type, Function.identity()));

    private BoxCommands() {}

    /** Those that can be written. */
    static List<Class<?>> types() {
        return KINDS.stream().<Class<?>>map(Kind::type).toList();
    }

    static String write(BoxCommand command) {
        Kind kind = BY_TYPE.get(command.getClass());
        if (kind == null) {
            throw new IllegalStateException("no name for " + command.getClass());
        }
        return Json.write(new Head(kind.name())) + "\n" + Json.write(command);
    }

    static BoxCommand read(String text) {
        int end = text.indexOf('\n');
        Kind kind = end < 0
                ? null
                : BY_NAME.get(Json.read(text.substring(0, end), Head.class).command());
        if (kind == null) {
            throw new BoxdException(ErrorCode.INVALID_ARGUMENT, "not a command about boxes");
        }
        return Json.read(text.substring(end + 1), kind.type());
    }
}
