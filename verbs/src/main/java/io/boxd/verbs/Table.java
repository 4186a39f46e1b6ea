package io.boxd.verbs;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BinaryOperator;
import org.jspecify.annotations.Nullable;

/** Rows under headings, fitted into a width: long cells are cut, and the least important columns go first. */
final class Table {
    private static final int GAP = 2;
    private static final int NARROWEST = 14;

    /** One column. */
    private record Column(String title, int importance, boolean toTheRight) {}

    private final List<Column> columns = new ArrayList<>();
    private final List<List<String>> rows = new ArrayList<>();

    /** A column that goes later the more important it is. */
    Table column(String title, int importance) {
        columns.add(new Column(title, importance, false));
        return this;
    }

    /** A column of numbers. */
    Table numbers(String title, int importance) {
        columns.add(new Column(title, importance, true));
        return this;
    }

    void row(@Nullable String... cells) {
        List<String> row = new ArrayList<>();
        for (String cell : cells) {
            row.add(cell == null || cell.isEmpty() ? Human.NOTHING : Harmless.line(cell));
        }
        rows.add(row);
    }

    boolean isEmpty() {
        return rows.isEmpty();
    }

    /** The table; {@code paint} gets a column's title and a cell and may colour it. */
    String text(Look look, BinaryOperator<String> paint) {
        int[] widths = fit(look.columns());
        StringBuilder text = new StringBuilder();
        List<String> titles = columns.stream().map(Column::title).toList();
        line(text, titles, widths, (title, cell) -> look.faint(cell));
        rows.forEach(row -> line(text, row, widths, paint));
        return text.toString();
    }

    /** The width of each column, 0 for those that are left out. */
    private int[] fit(int available) {
        int[] widths = naturalWidths();
        while (count(widths) > 1 && total(narrowest(widths)) > available) {
            widths[leastImportant(widths)] = 0;
        }
        while (total(widths) > available && widths[widest(widths)] > 1) {
            widths[widest(widths)]--;
        }
        return widths;
    }

    private int[] naturalWidths() {
        int[] widths = new int[columns.size()];
        for (int i = 0; i < widths.length; i++) {
            int column = i;
            widths[i] = Math.max(
                    columns.get(i).title().length(),
                    rows.stream()
                            .mapToInt(row -> Harmless.columns(row.get(column)))
                            .max()
                            .orElse(0));
        }
        return widths;
    }

    private static int[] narrowest(int[] widths) {
        return Arrays.stream(widths).map(width -> Math.min(width, NARROWEST)).toArray();
    }

    private static int total(int[] widths) {
        int total = -GAP;
        for (int width : widths) {
            total += width == 0 ? 0 : width + GAP;
        }
        return total;
    }

    private static int count(int[] widths) {
        int count = 0;
        for (int width : widths) {
            count += width == 0 ? 0 : 1;
        }
        return count;
    }

    private static int widest(int[] widths) {
        int widest = 0;
        for (int i = 1; i < widths.length; i++) {
            widest = widths[i] > widths[widest] ? i : widest;
        }
        return widest;
    }

    private int leastImportant(int[] widths) {
        int least = -1;
        for (int i = 0; i < widths.length; i++) {
            boolean less = least < 0
                    || columns.get(i).importance() < columns.get(least).importance();
            least = widths[i] > 0 && less ? i : least;
        }
        return least;
    }

    private void line(StringBuilder text, List<String> cells, int[] widths, BinaryOperator<String> paint) {
        StringBuilder line = new StringBuilder();
        int pending = 0;
        for (int i = 0; i < widths.length; i++) {
            if (widths[i] == 0) {
                continue;
            }
            String cell = Harmless.cut(cells.get(i), widths[i]);
            int room = widths[i] - Harmless.columns(cell);
            boolean right = columns.get(i).toTheRight();
            line.repeat(" ", pending + (right ? room : 0));
            line.append(paint.apply(columns.get(i).title(), cell));
            pending = GAP + (right ? 0 : room);
        }
        text.append(line).append('\n');
    }
}
