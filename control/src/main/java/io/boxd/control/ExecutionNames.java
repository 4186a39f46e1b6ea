package io.boxd.control;

import io.boxd.common.BoxdException;
import io.boxd.guest.ExecutionId;
import io.boxd.guest.ExecutionInfo;
import java.util.List;
import java.util.regex.Pattern;

/** How users write the ids of executions: {@code ex_} and digits, of which the first few are enough. */
final class ExecutionNames {
    private static final String PREFIX = "ex_";
    private static final Pattern SHAPE = Pattern.compile("ex_[0-9a-f]{4,32}");
    private static final int WHOLE = PREFIX.length() + 32;

    private ExecutionNames() {}

    static String shown(ExecutionId id) {
        return PREFIX + id.hex();
    }

    static boolean matches(String shownId, String said) {
        return check(said).length() == WHOLE ? shownId.equals(said) : shownId.startsWith(said);
    }

    private static String check(String said) {
        if (!SHAPE.matcher(said).matches()) {
            throw Failures.invalid(
                    "'" + Printable.line(said) + "' is no execution's id", "Ids look like ex_4f0c; ps lists them.");
        }
        return said;
    }

    /** The one of these that is meant. */
    static ExecutionInfo find(List<ExecutionInfo> executions, String said) {
        List<ExecutionInfo> found = executions.stream()
                .filter(execution -> matches(shown(execution.id()), said))
                .toList();
        if (found.size() > 1) {
            throw Failures.invalid("several executions begin with " + said, "Say more of the id.");
        }
        return found.stream().findFirst().orElseThrow(() -> unknown(said));
    }

    static BoxdException unknown(String said) {
        return Failures.notFound(
                "this box knows no execution " + Printable.line(said),
                "ps lists those it knows; a restart forgets them.");
    }
}
