package io.boxd.dns;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * The texts by which this server proves to a certificate authority that it answers for a name.
 *
 * <p>Several for one name at a time, since a name and the wildcard below it are proved at the same place. Answers
 * follow at once; there is nothing in between that remembers.
 */
public final class Challenges {
    private static final int MOST_NAMES = 1024;
    private static final int MOST_TEXTS = 16;
    private static final int LONGEST_TEXT = 255;

    private final Map<String, List<String>> texts = new ConcurrentHashMap<>();

    /** Shows a text at {@code _acme-challenge.} and this host name, until it is removed. */
    public void show(String host, String text) {
        if (text.length() > LONGEST_TEXT || texts.size() >= MOST_NAMES) {
            throw tooMany(host);
        }
        texts.merge(key(host), List.of(text), (shown, added) -> {
            if (shown.size() >= MOST_TEXTS) {
                throw tooMany(host);
            }
            return Stream.concat(shown.stream(), added.stream()).distinct().toList();
        });
    }

    private static BoxdException tooMany(String host) {
        return new BoxdException(ErrorCode.RESOURCE_EXHAUSTED, "too much is to be proved for " + host + " at once");
    }

    /** Shows it no more. */
    public void remove(String host, String text) {
        texts.computeIfPresent(key(host), (_, shown) -> {
            List<String> left = shown.stream().filter(one -> !one.equals(text)).toList();
            return left.isEmpty() ? null : left;
        });
    }

    List<String> at(String host) {
        return texts.getOrDefault(key(host), List.of());
    }

    private static String key(String host) {
        return host.toLowerCase(Locale.ROOT);
    }
}
