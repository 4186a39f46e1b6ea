package io.boxd.bench;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** The options of a benchmark, {@code --name value} each, and what holds where one is not given. */
final class Options {
    private final Map<String, String> values;

    private Options(Map<String, String> values) {
        this.values = values;
    }

    /** @param usual every option that there is */
    static Options parse(String[] arguments, Map<String, String> usual) {
        Map<String, String> values = new HashMap<>(usual);
        for (int i = 0; i < arguments.length; i += 2) {
            if (!usual.containsKey(arguments[i]) || i + 1 == arguments.length) {
                throw new IllegalArgumentException("unknown, or without a value: " + arguments[i]);
            }
            values.put(arguments[i], arguments[i + 1]);
        }
        return new Options(values);
    }

    int number(String name) {
        int number = Integer.parseInt(text(name));
        if (number < 1) {
            throw new IllegalArgumentException(name + " is at least 1");
        }
        return number;
    }

    Path path(String name) {
        return Path.of(text(name));
    }

    private String text(String name) {
        String value = values.get(name);
        if (value == null) {
            throw new IllegalArgumentException("there is no option " + name);
        }
        return value;
    }
}
