package io.boxd.certificates;

import io.boxd.trust.Credentials;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * All that is shown, by name; never changes, so that handshakes read it without waiting.
 *
 * @param usual for whoever says no name, or one that we have nothing for
 */
record Shelf(Credentials usual, Map<String, Credentials> byName) {
    private static final int LONGEST_HOST = 253;

    Shelf {
        byName = Map.copyOf(byName);
    }

    static Shelf of(Credentials usual) {
        return new Shelf(usual, Map.of());
    }

    /** With these shown for these names from now on. */
    Shelf with(List<String> names, Credentials shown) {
        Map<String, Credentials> more = new HashMap<>(byName);
        names.forEach(name -> more.put(name, shown));
        return new Shelf(usual, more);
    }

    /** What to show whoever asks for this host. */
    Credentials find(String host) {
        if (host.isEmpty() || host.length() > LONGEST_HOST) {
            return usual;
        }
        String name = host.toLowerCase(Locale.ROOT);
        Credentials exact = byName.get(name);
        if (exact != null) {
            return exact;
        }
        return byName.getOrDefault("*" + name.substring(Math.max(0, name.indexOf('.'))), usual);
    }
}
