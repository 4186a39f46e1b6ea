package io.boxd.verbs;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BinaryOperator;
import org.jspecify.annotations.Nullable;

/** Rows under headings, fitted into a width: long cells are cut, and the least important columns go first. */
final class Table {
    private static final int GAP = 2;
    private static final int NARROWEST = 14;
    /** Columns from this importance on are rather cut than left out. */
    private static final int KEPT = 8;

    /** What becomes of a cell for which there is not enough room. */
    private enum Cut {
        ALLOWED,
        /** It is something to type again: others go first. */
        UNWANTED
    }

    /** One column. */
    private record Column(String title, int importance, boolean toTheRight, Cut cut) {}

    private final List<Column> columns = new ArrayList<>();
    private final List<List<String>> rows = new ArrayList<>();

    /** A column that goes later the more important it is. */
    Table column(String title, int importance) {
        columns.add(new Column(title, importance, false, Cut.ALLOWED));
        return this;
    }

    /** A column of names and ids: cut only where leaving out all that matters less is not enough. */
    Table names(String title, int importance) {
        columns.add(new Column(title, importance, false, Cut.UNWANTED));
        return this;
    }

    /** A column of numbers. */
    Table numbers(String title, int importance) {
        columns.add(new Column(title, importance, true, Cut.ALLOWED));
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
        leaveOutEmpty(widths, available);
        int[] whole = widths.clone();
        while (count(whole) > 1
                && total(narrowest(whole, Cut.UNWANTED)) > available
                && importanceOf(leastImportant(whole)) < KEPT) {
            whole[leastImportant(whole)] = 0;
        }
        if (total(narrowest(whole, Cut.UNWANTED)) <= available) {
            return shrunk(whole, available, Cut.UNWANTED);
        }
        while (count(widths) > 1 && total(narrowest(widths, null)) > available) {
            widths[leastImportant(widths)] = 0;
        }
        return shrunk(widths, available, null);
    }

    /** Columns that say nothing in any row go first. */
    private void leaveOutEmpty(int[] widths, int available) {
        for (int i = 0; i < widths.length; i++) {
            int column = i;
            if (total(widths) > available
                    && count(widths) > 1
                    && rows.stream().allMatch(row -> row.get(column).equals(Human.NOTHING))) {
                widths[i] = 0;
            }
        }
    }

    private int importanceOf(int column) {
        return columns.get(column).importance();
    }

    /** Takes from the widest column, over and over, but not from those with this wish. */
    private int[] shrunk(int[] widths, int available, @Nullable Cut spared) {
        int widest = widest(widths, spared);
        while (total(widths) > available && widest >= 0 && widths[widest] > 1) {
            widths[widest]--;
            widest = widest(widths, spared);
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

    private int[] narrowest(int[] widths, @Nullable Cut spared) {
        int[] narrow = widths.clone();
        for (int i = 0; i < narrow.length; i++) {
            narrow[i] = columns.get(i).cut() == spared ? narrow[i] : Math.min(narrow[i], NARROWEST);
        }
        return narrow;
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

    private int widest(int[] widths, @Nullable Cut spared) {
        int widest = -1;
        for (int i = 0; i < widths.length; i++) {
            boolean wider = widest < 0 || widths[i] > widths[widest];
            widest = wider && columns.get(i).cut() != spared ? i : widest;
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
