package io.boxd.api;

import java.math.BigDecimal;
import java.util.List;

/** Figures in the text format of Prometheus, version 0.0.4. */
final class Exposition {
    static final String TYPE = "text/plain; version=0.0.4; charset=utf-8";

    private final StringBuilder text = new StringBuilder();

    /** What the samples that follow are of. */
    void family(String name, String type, String help) {
        text.append("# HELP ").append(name).append(' ').append(help).append('\n');
        text.append("# TYPE ").append(name).append(' ').append(type).append('\n');
    }

    /** @param labels names and values, one after the other */
    void sample(String name, List<String> labels, double value) {
        line(name, labels, number(value));
    }

    /** @param labels names and values, one after the other */
    void sample(String name, List<String> labels, long value) {
        line(name, labels, String.valueOf(value));
    }

    private void line(String name, List<String> labels, String value) {
        text.append(name);
        for (int i = 0; i < labels.size(); i += 2) {
            text.append(i == 0 ? '{' : ',')
                    .append(labels.get(i))
                    .append("=\"")
                    .append(escaped(labels.get(i + 1)))
                    .append('"');
        }
        text.append(labels.isEmpty() ? " " : "} ").append(value).append('\n');
    }

    private static String escaped(String label) {
        return label.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
    }

    /** Without an exponent or a fraction where it needs none. */
    static String number(double value) {
        return BigDecimal.valueOf(value).stripTrailingZeros().toPlainString();
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
