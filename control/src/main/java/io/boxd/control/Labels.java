package io.boxd.control;

import io.boxd.common.Shapes;
import java.util.Map;
import java.util.Optional;

/** What labels and variables of boxes may look like. */
final class Labels {
    private Labels() {}

    static Map<String, String> labels(Map<String, String> labels) {
        count(labels.size());
        labels.forEach(Labels::label);
        return labels;
    }

    static Map<String, Optional<String>> changes(Map<String, Optional<String>> changes, int present) {
        long added = changes.values().stream().filter(Optional::isPresent).count();
        count(Math.max(changes.size(), (int) added + present));
        changes.forEach((key, value) -> label(key, value.orElse("")));
        return changes;
    }

    private static void count(int labels) {
        if (labels > Limits.LABELS) {
            throw Failures.invalid("a box has at most " + Limits.LABELS + " labels");
        }
    }

    private static void label(String key, String value) {
        if (!Shapes.isLabelKey(key)) {
            throw Failures.invalid(
                    "no label can have the key '" + Printable.line(key) + "'",
                    "Use letters, digits and . _ / - between them, at most 63.");
        }
        boolean printable = value.codePoints().noneMatch(Character::isISOControl);
        if (value.length() > Limits.LABEL_VALUE_CHARS || !printable) {
            throw Failures.invalid(
                    "the value of label '" + key + "' is too long or not printable",
                    "At most " + Limits.LABEL_VALUE_CHARS + " printable characters.");
        }
    }

    /** Variables of every command in a box. */
    static Map<String, String> environment(Map<String, String> variables) {
        if (variables.size() > Limits.VARIABLES) {
            throw Failures.invalid("a box has at most " + Limits.VARIABLES + " variables");
        }
        long bytes = 0;
        for (Map.Entry<String, String> variable : variables.entrySet()) {
            if (!Shapes.isVariable(variable.getKey())) {
                throw Failures.invalid(
                        "no variable can have the name '" + Printable.line(variable.getKey()) + "'",
                        "Use letters, digits and _, no digit first.");
            }
            if (variable.getValue().indexOf('\0') >= 0) {
                throw Failures.invalid("the variable '" + variable.getKey() + "' holds a zero byte");
            }
            bytes += variable.getKey().length() + (long) variable.getValue().length();
        }
        if (bytes > Limits.VARIABLE_BYTES) {
            throw Failures.invalid("variables take at most " + (Limits.VARIABLE_BYTES >> 10) + " KiB together");
        }
        return variables;
    }
}
