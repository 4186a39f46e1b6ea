package io.boxd.control;

import io.boxd.common.Shapes;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;

/** What boxes and snapshots may be called, and what they are called when nobody says. */
public final class Names {
    private static final int TRIES = 64;

    /** Names that stand, or will stand, for the server itself and its doors. */
    private static final Set<String> RESERVED = Set.of(
            "boxd",
            "api",
            "console",
            "www",
            "admin",
            "root",
            "localhost",
            "ssh",
            "dns",
            "ns1",
            "ns2",
            "mail",
            "smtp",
            "metadata",
            "internal",
            "status",
            "docs",
            "login",
            "auth",
            "static",
            "proxy",
            "egress",
            "gateway",
            "host");

    private static final List<String> MANNERS = List.of(
            "able", "agile", "amber", "apt", "bold", "brave", "bright", "brisk", "calm", "candid", "clever", "cosy",
            "crisp", "daring", "deft", "eager", "early", "easy", "fair", "fancy", "fast", "fine", "fond", "frank",
            "fresh", "gentle", "glad", "golden", "grand", "handy", "happy", "hardy", "honest", "humble", "jolly",
            "keen", "kind", "lively", "loyal", "lucid", "lucky", "mellow", "merry", "mighty", "modest", "neat",
            "nimble", "noble", "patient", "plucky", "polite", "proud", "quick", "quiet", "rapid", "ready", "robust",
            "serene", "sharp", "shiny", "silent", "simple", "sleek", "smart", "snug", "sober", "solid", "spry",
            "steady", "sturdy", "subtle", "sunny", "swift", "tidy", "tough", "upbeat", "vivid", "warm", "wise", "witty",
            "zesty");

    private static final List<String> ANIMALS = List.of(
            "badger", "beaver", "bison", "bobcat", "camel", "caribou", "cheetah", "cobra", "condor", "cougar", "coyote",
            "crane", "cricket", "dingo", "dolphin", "donkey", "eagle", "egret", "falcon", "ferret", "finch", "gazelle",
            "gecko", "gibbon", "goose", "grouse", "hare", "heron", "hippo", "hornet", "ibex", "iguana", "impala",
            "jackal", "jaguar", "kestrel", "koala", "lemur", "leopard", "lizard", "llama", "lynx", "magpie", "marmot",
            "marten", "mole", "moose", "newt", "ocelot", "orca", "osprey", "otter", "owl", "panda", "panther", "parrot",
            "pelican", "penguin", "pigeon", "puffin", "puma", "quail", "rabbit", "raven", "robin", "salmon", "seal",
            "shark", "sparrow", "squid", "stork", "swan", "tapir", "thrush", "tiger", "toucan", "turtle", "viper",
            "walrus", "weasel", "whale", "wolf", "wombat", "yak", "zebra");

    private Names() {}

    /** Those that no box can get, though they look right. */
    public static Set<String> reserved() {
        return RESERVED;
    }

    /** A name that a box is to get. */
    static String box(String name) {
        shape("a box's name", name);
        if (RESERVED.contains(name)) {
            throw Failures.invalid("the name '" + name + "' is reserved", "Take another one.");
        }
        if (Shapes.isLikeAPort(name)) {
            throw Failures.invalid(
                    "the name '" + name + "' would read as a port", "Begin it with a letter, as in 'app-3000'.");
        }
        return name;
    }

    /** A name that an account is to get: those of boxes and accounts come from one stock. */
    static String account(String name) {
        shape("an account's name", name);
        if (RESERVED.contains(name)) {
            throw Failures.invalid("the name '" + name + "' is reserved", "Take another one.");
        }
        return name;
    }

    /** A label that a snapshot is to get. */
    static String snapshot(String label) {
        return shape("a snapshot's label", label);
    }

    private static String shape(String what, String name) {
        if (!Shapes.isName(name)) {
            throw Failures.invalid(
                    what + " cannot be '" + Printable.line(name) + "'",
                    "Use 1 to " + Shapes.LONGEST_NAME
                            + " lower-case letters, digits and hyphens, no hyphen first or last.");
        }
        return name;
    }

    /** A readable one that is not among those taken. */
    static String madeUp(Set<String> taken, RandomGenerator random) {
        Set<String> used = new HashSet<>(taken);
        for (int tries = 0; tries < TRIES; tries++) {
            String name = pick(MANNERS, random) + "-" + pick(ANIMALS, random);
            if (!used.contains(name)) {
                return name;
            }
        }
        String stem = pick(MANNERS, random) + "-" + pick(ANIMALS, random) + "-";
        int number = 2;
        while (used.contains(stem + number)) {
            number++;
        }
        return stem + number;
    }

    /** The names of so many copies. */
    static List<String> numbered(String stem, int count) {
        return java.util.stream.IntStream.rangeClosed(1, count)
                .mapToObj(number -> box(stem + "-" + number))
                .toList();
    }

    private static String pick(List<String> words, RandomGenerator random) {
        return words.get(random.nextInt(words.size()));
    }
}
