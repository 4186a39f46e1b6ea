package io.boxd.console;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.verbs.Request;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Where {@code cp} copies from or to. */
public sealed interface Place {
    Pattern IN_BOX = Pattern.compile("([A-Za-z0-9][A-Za-z0-9_-]*):(.*)", Pattern.DOTALL);

    /** The input or the output of this process. */
    record Stream() implements Place {}

    /** A file of this machine. */
    record Here(Path path) implements Place {
        public String name() {
            Path name = path.toAbsolutePath().normalize().getFileName();
            return name == null ? "root" : name.toString();
        }
    }

    /** A file in a box. */
    record InBox(String box, String path, @Nullable String user) implements Place {
        public String target(String what, String... more) {
            StringBuilder target = new StringBuilder("/v1/boxes/" + Request.encode(box) + "/" + what)
                    .append("?path=" + Request.encode(path));
            if (user != null) {
                target.append("&user=" + Request.encode(user));
            }
            for (String each : more) {
                target.append('&').append(each);
            }
            return target.toString();
        }

        public String name() {
            String trimmed = path.replaceAll("/+$", "");
            String last = trimmed.substring(trimmed.lastIndexOf('/') + 1);
            return last.isEmpty() || last.equals(".") || last.equals("..") ? box : last;
        }

        public InBox resolve(String name) {
            return new InBox(box, path.isEmpty() || path.endsWith("/") ? path + name : path + "/" + name, user);
        }
    }

    /** What was typed: {@code box:path}, {@code -} or a path; one that has a colon itself is written {@code ./a:b}. */
    static Place of(String typed, @Nullable String user) {
        if (typed.equals("-")) {
            return new Stream();
        }
        Matcher matcher = IN_BOX.matcher(typed);
        return matcher.matches() ? new InBox(matcher.group(1), matcher.group(2), user) : new Here(Path.of(typed));
    }

    /** The refusal of copying between places of which none is in a box. */
    static BoxdException noBox() {
        return new BoxdException(
                ErrorCode.INVALID_ARGUMENT, "one side must be in a box", "Write BOX:PATH, as in task-1:work/.", null);
    }
}
