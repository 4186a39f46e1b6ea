package io.boxd.server;

import io.boxd.common.Amounts;
import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.verbs.Harmless;
import io.boxd.vmm.MachineSize;
import io.boxd.worker.SleepRules;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.tomlj.Toml;
import org.tomlj.TomlArray;
import org.tomlj.TomlParseError;
import org.tomlj.TomlParseResult;
import org.tomlj.TomlPosition;

/** Reads how an instance is to be: a TOML file, overridden by the environment. */
final class Configuration {
    static final Path USUAL = Path.of("/etc/boxd/boxd.toml");

    private static final Pattern DOMAIN = Pattern.compile("[a-z0-9]([a-z0-9.-]{0,250}[a-z0-9])?");
    private static final Pattern IMAGE = Pattern.compile("[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?");
    private static final Pattern INTERFACE = Pattern.compile("[A-Za-z0-9_.@-]{1,15}");
    private static final int LONGEST_SHOWN = 60;
    private static final int MOST_CPUS = 16;
    private static final int LAST_PORT = 65_535;
    private static final int MOST_BOXES = 2000;

    /** What was said, and where. */
    private record Said(String text, String where) {}

    private final Problems problems =
            new Problems("the configuration", "docs/configuration.md lists the keys and their values.");
    private final Map<Setting, Said> said = new EnumMap<>(Setting.class);

    private Configuration() {}

    /**
     * Reads the file and the environment. All problems are reported at once.
     *
     * @param file that somebody named; none: the usual one, which need not exist
     */
    static ServerConfig read(Optional<Path> file, Map<String, String> environment) {
        Configuration configuration = new Configuration();
        Path path = file.orElse(USUAL);
        if (file.isPresent() || Files.exists(path)) {
            configuration.readFile(path);
        }
        for (Setting setting : Setting.values()) {
            String value = environment.get(setting.variable());
            if (value != null && !value.isEmpty()) {
                configuration.said.put(setting, new Said(value, setting.variable()));
            }
        }
        return configuration.build();
    }

    private void readFile(Path path) {
        TomlParseResult toml;
        try {
            toml = Toml.parse(path);
        } catch (IOException e) {
            throw new BoxdException(
                    ErrorCode.NOT_FOUND, "cannot read the configuration " + path + ": " + e.getMessage(), e);
        }
        for (TomlParseError error : toml.errors()) {
            problems.add(at(path, error.position()), String.valueOf(error.getMessage()));
        }
        for (List<String> key : toml.keyPathSet()) {
            String where = at(path, toml.inputPositionOf(key));
            Optional<Setting> setting = setting(String.join(".", key));
            if (setting.isEmpty()) {
                problems.add(where, "there is no setting '" + String.join(".", key) + "'");
            } else {
                said.put(setting.get(), new Said(text(Objects.requireNonNull(toml.get(key))), where));
            }
        }
    }

    private static String at(Path path, @Nullable TomlPosition position) {
        return position == null ? path.toString() : path + ", line " + position.line();
    }

    private static Optional<Setting> setting(String key) {
        return Stream.of(Setting.values())
                .filter(setting -> setting.key().equals(key))
                .findFirst();
    }

    private static String text(Object value) {
        if (!(value instanceof TomlArray array)) {
            return String.valueOf(value);
        }
        List<String> words = new ArrayList<>();
        for (int i = 0; i < array.size(); i++) {
            words.add(String.valueOf(array.get(i)));
        }
        return String.join(",", words);
    }

    private ServerConfig build() {
        Path home = value(Setting.HOME, Configuration::path, "an absolute path");
        Path cache = value(Setting.IMAGE_CACHE, Configuration::path, "an absolute path");
        Path registry = value(Setting.REGISTRY, Configuration::path, "an absolute path");
        InetAddress bind = value(Setting.BIND, Configuration::address, "an address of this host, such as 127.0.0.1");
        int port = value(Setting.HTTP_PORT, text -> number(text, 0, LAST_PORT), "a port; 0 for any that is free");
        String domain = value(Setting.DOMAIN, text -> matching(DOMAIN, text), "a domain in lower case");
        String image = value(Setting.IMAGE, text -> matching(IMAGE, text), "the name of an image");
        int cpus = value(Setting.CPUS, text -> number(text, 1, MOST_CPUS), "1 to " + MOST_CPUS);
        long memory = value(Setting.MEMORY, Amounts::bytes, "a size, such as 8G");
        long disk = value(Setting.DISK, Amounts::bytes, "a size, such as 100G");
        Duration idle = value(Setting.IDLE, Amounts::time, "a time, such as 30s, or off");
        Duration hibernate = value(Setting.HIBERNATE_AFTER, Amounts::time, "a time, such as 10m, or off");
        int quota = value(Setting.QUOTA_BOXES, text -> number(text, 1, MOST_BOXES), "1 to " + MOST_BOXES);
        List<String> uplinks =
                value(Setting.UPLINKS, Configuration::words, "names of network interfaces with commas between");
        boolean privateWebhooks = value(Setting.WEBHOOKS_ALLOW_PRIVATE, Configuration::flag, "true or false");
        MachineSize size = size(cpus, memory, disk);
        problems.throwIfAny();
        return new ServerConfig(
                home,
                cache,
                registry,
                bind,
                port,
                domain,
                image,
                size,
                new SleepRules(idle, hibernate),
                quota,
                uplinks,
                privateWebhooks);
    }

    /** What was said, or what holds otherwise; a value that does not fit is noted and replaced for the moment. */
    private <T> T value(Setting setting, Function<String, Optional<T>> parse, String expected) {
        Said given = said.get(setting);
        if (given != null) {
            Optional<T> value = parse.apply(given.text());
            if (value.isPresent()) {
                return value.get();
            }
            String shown = Harmless.cut(given.text(), LONGEST_SHOWN);
            problems.add(given.where(), setting.key() + " is " + expected + ", not '" + shown + "'");
        }
        return parse.apply(setting.fallback()).orElseThrow();
    }

    private MachineSize size(int cpus, long memory, long disk) {
        try {
            return new MachineSize(cpus, memory, disk);
        } catch (BoxdException e) {
            problems.add("cpus, memory, disk", String.valueOf(e.getMessage()));
            return new MachineSize(1, MachineSize.GIB, MachineSize.GIB);
        }
    }

    private static Optional<Path> path(String text) {
        try {
            return Optional.of(Path.of(text)).filter(Path::isAbsolute).map(Path::normalize);
        } catch (InvalidPathException e) {
            return Optional.empty();
        }
    }

    /** Only numbers: a name could come to mean another address later. */
    private static Optional<InetAddress> address(String text) {
        try {
            return Optional.of(InetAddress.ofLiteral(text));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static Optional<Integer> number(String text, int least, int most) {
        try {
            return Optional.of(Integer.parseInt(text.strip())).filter(number -> number >= least && number <= most);
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    private static Optional<Boolean> flag(String text) {
        return switch (text.strip()) {
            case "true" -> Optional.of(true);
            case "false" -> Optional.of(false);
            default -> Optional.empty();
        };
    }

    private static Optional<String> matching(Pattern pattern, String text) {
        return Optional.of(text).filter(pattern.asMatchPredicate());
    }

    private static Optional<List<String>> words(String text) {
        List<String> words = Stream.of(text.split(",", -1))
                .map(String::strip)
                .filter(word -> !word.isEmpty())
                .toList();
        return Optional.of(words).filter(all -> all.stream().allMatch(INTERFACE.asMatchPredicate()));
    }
}
