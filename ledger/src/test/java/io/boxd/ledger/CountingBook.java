package io.boxd.ledger;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.common.Json;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;

/** A book for tests: names are taken once, and each has a number that counts how often it was added to. */
final class CountingBook implements Book {
    /** A command: one that begins with {@code -} deletes, with {@code !} is refused. */
    record Add(String name, String filling) {}

    record Count(String name, long count) {}

    private final List<Migration> migrations;
    private volatile Map<String, Long> counts = Map.of();

    CountingBook() {
        this(List.of(tables -> tables.create("counts")));
    }

    CountingBook(List<Migration> migrations) {
        this.migrations = migrations;
    }

    static String add(String name) {
        return Json.write(new Add(name, ""));
    }

    static String add(String name, String filling) {
        return Json.write(new Add(name, filling));
    }

    Map<String, Long> counts() {
        return counts;
    }

    @Override
    public String name() {
        return "counting";
    }

    @Override
    public List<Migration> migrations() {
        return migrations;
    }

    @Override
    public void load(Tables tables) {
        Map<String, Long> read = new TreeMap<>();
        for (String row : tables.all("counts")) {
            Count count = Json.read(row, Count.class);
            read.put(count.name(), count.count());
        }
        counts = read;
    }

    @Override
    public boolean isTaken(String name) {
        return counts.containsKey(name);
    }

    @Override
    public Decision decide(int version, String command, Tables tables, Predicate<String> takenElsewhere) {
        Add add = Json.read(command, Add.class);
        Map<String, Long> next = new TreeMap<>(counts);
        if (add.name().startsWith("!")) {
            throw new BoxdException(ErrorCode.ALREADY_EXISTS, "refused " + add.name(), "Say another.", null);
        }
        if (add.name().startsWith("-")) {
            next.remove(add.name().substring(1));
            tables.delete("counts", add.name().substring(1));
            return new Decision("0", () -> counts = next);
        }
        long count = next.merge(add.name(), 1L, Long::sum);
        tables.put("counts", add.name(), Json.write(new Count(add.name(), count)));
        return new Decision(Long.toString(count), () -> counts = next);
    }
}
