package io.boxd.verbs;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Names and values below each other, as {@code info} shows a thing. */
final class Sheet {
    private record Line(String name, String value, boolean isStatus) {}

    private final List<Line> lines = new ArrayList<>();

    /** A line; none if there is no value. */
    Sheet line(String name, @Nullable String value) {
        if (value != null && !value.isEmpty() && !value.equals(Human.NOTHING)) {
            lines.add(new Line(name, value, false));
        }
        return this;
    }

    Sheet status(String name, String status) {
        lines.add(new Line(name, status, true));
        return this;
    }

    String text(Look look) {
        int width = lines.stream().mapToInt(line -> line.name().length()).max().orElse(0) + 2;
        StringBuilder text = new StringBuilder();
        for (Line line : lines) {
            String value = Harmless.cut(line.value(), Math.max(10, look.columns() - width));
            text.append(look.faint(line.name())).repeat(" ", width - line.name().length());
            text.append(line.isStatus() ? look.status(value) : value).append('\n');
        }
        return text.toString();
    }
}
