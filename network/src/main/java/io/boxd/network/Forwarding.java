package io.boxd.network;

import io.boxd.linux.HostBlock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/**
 * Lets the host's interfaces to the internet take packets for machines, and nothing else.
 *
 * <p>An interface forwards what comes in over it only if it is switched to. Where we switch one, the
 * registry remembers so: rules then keep everything apart that was apart before, and the last instance
 * that goes switches it back.
 *
 * @param switched interfaces that forward only because of us
 * @param others interfaces that were there when the first of them was switched
 */
record Forwarding(List<String> switched, List<String> others) {
    private static final String FILE = "forwarding";
    private static final String SWITCHED = "switched ";
    private static final String OTHER = "other ";

    /** Finds out what is to be switched, and remembers it; {@link #enable} does it, behind the rules. */
    static Forwarding plan(Path registry, List<String> uplinks) {
        return HostBlock.underLock(registry, folder -> {
            Path file = folder.resolve(FILE);
            TreeSet<String> switched = new TreeSet<>(read(file, SWITCHED));
            TreeSet<String> others = new TreeSet<>(read(file, OTHER));
            List<String> closed =
                    uplinks.stream().filter(name -> !forwards(name)).toList();
            if (!closed.isEmpty()) {
                switched.addAll(closed);
                others.addAll(Interfaces.names().stream()
                        .filter(name -> !name.startsWith(WireNames.ANY_WIRE))
                        .toList());
                write(file, switched, others);
            }
            switched.removeIf(name -> !Interfaces.exists(name));
            return new Forwarding(List.copyOf(switched), List.copyOf(others));
        });
    }

    void enable() {
        switched.forEach(name -> set(name, "1"));
    }

    /** Switches back what was switched, if no other instance on this host needs it. */
    static void restore(Path registry, WireNames names) {
        HostBlock.underLock(registry, folder -> {
            boolean needed = Interfaces.names().stream()
                    .anyMatch(name -> name.startsWith(WireNames.ANY_WIRE)
                            && name.endsWith("-gw")
                            && !name.equals(names.gateway()));
            Path file = folder.resolve(FILE);
            if (!needed) {
                read(file, SWITCHED).stream().filter(Interfaces::exists).forEach(name -> set(name, "0"));
                Files.deleteIfExists(file);
            }
            return needed;
        });
    }

    private static boolean forwards(String name) {
        return Switches.get("ipv4/conf/" + name + "/forwarding").equals("1");
    }

    private static void set(String name, String value) {
        Switches.set("ipv4/conf/" + name + "/forwarding", value);
    }

    private static List<String> read(Path file, String kind) throws IOException {
        if (!Files.exists(file)) {
            return List.of();
        }
        return Files.readAllLines(file).stream()
                .filter(line -> line.startsWith(kind))
                .map(line -> line.substring(kind.length()))
                .toList();
    }

    private static void write(Path file, TreeSet<String> switched, TreeSet<String> others) throws IOException {
        List<String> lines = new ArrayList<>();
        switched.forEach(name -> lines.add(SWITCHED + name));
        others.forEach(name -> lines.add(OTHER + name));
        Files.write(file, lines);
    }
}
