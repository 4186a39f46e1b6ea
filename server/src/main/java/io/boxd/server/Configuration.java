package io.boxd.server;

import io.boxd.accounts.Quota;
import io.boxd.common.Amounts;
import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.login.Admission;
import io.boxd.verbs.Harmless;
import io.boxd.vmm.MachineSize;
import io.boxd.worker.SleepRules;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
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
    private static final int MOST_REQUESTS = 1_000_000;
    private static final Set<String> ADMITTED = Set.of("domain", "org", "subject");

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
        int securePort =
                value(Setting.HTTPS_PORT, text -> number(text, 0, LAST_PORT), "a port; 0 for any that is free");
        Optional<Integer> sshPort =
                value(Setting.SSH_PORT, Configuration::portOrOff, "a port; 0 for any that is free; or off");
        String domain = value(Setting.DOMAIN, text -> matching(DOMAIN, text), "a domain in lower case");
        NamingConfig naming = new NamingSettings(this::value, problems).read();
        String image = value(Setting.IMAGE, text -> matching(IMAGE, text), "the name of an image");
        int cpus = value(Setting.CPUS, text -> number(text, 1, MOST_CPUS), "1 to " + MOST_CPUS);
        long memory = value(Setting.MEMORY, Amounts::bytes, "a size, such as 8G");
        long disk = value(Setting.DISK, Amounts::bytes, "a size, such as 100G");
        Duration idle = value(Setting.IDLE, Amounts::time, "a time, such as 30s, or off");
        Duration hibernate = value(Setting.HIBERNATE_AFTER, Amounts::time, "a time, such as 10m, or off");
        List<String> uplinks =
                value(Setting.UPLINKS, Configuration::words, "names of network interfaces with commas between");
        int rateLimit = value(
                Setting.RATE_LIMIT, text -> number(text, 0, MOST_REQUESTS), "0 to " + MOST_REQUESTS + " a second");
        boolean metricsOpen = value(Setting.METRICS_OPEN, Configuration::flag, "true or false");
        Optional<URI> collector = value(Setting.OTLP_URL, Configuration::collector, "an http or https URL");
        boolean privateWebhooks = value(Setting.WEBHOOKS_ALLOW_PRIVATE, Configuration::flag, "true or false");
        MachineSize size = size(cpus, memory, disk);
        Quota quota = quota(size);
        Optional<LoginConfig> login = login();
        Roles roles = roles(port);
        problems.throwIfAny();
        return new ServerConfig(
                home,
                cache,
                registry,
                bind,
                port,
                securePort,
                sshPort,
                domain,
                naming,
                image,
                size,
                new SleepRules(idle, hibernate),
                quota,
                login,
                uplinks,
                rateLimit,
                metricsOpen,
                collector,
                privateWebhooks,
                roles);
    }

    /** @param httpPort of the HTTP door, which other processes must know if it is in another */
    private Roles roles(int httpPort) {
        Set<Role> here =
                value(Setting.ROLES, Roles::parse, "names with commas between: control, worker, and doors (api)");
        InetAddress bind = value(
                Setting.INSIDE_BIND,
                text -> address(text).filter(address -> !address.isAnyLocalAddress()),
                "one address of this host, such as 127.0.0.1");
        int port = value(Setting.INSIDE_PORT, text -> number(text, 0, LAST_PORT), "a port; 0 for any that is free");
        Optional<Path> pass = value(Setting.PASS, Configuration::pass, "an absolute path");
        if (here.contains(Role.CONTROL) != here.contains(Role.WORKER)) {
            problems.add(Setting.ROLES.key(), "control and worker are in one process for now: say both, or neither");
        }
        if (here.contains(Role.CONTROL) && !here.contains(Role.API) && httpPort == 0) {
            problems.add(
                    Setting.HTTP_PORT.key(),
                    "must be said when the HTTP door is in another process, so that the command finds it");
        }
        return new Roles(here, bind, port, pass);
    }

    /** Nothing said about the others: room for as many boxes of the usual size, all of them awake. */
    private Quota quota(MachineSize size) {
        int boxes = value(Setting.QUOTA_BOXES, text -> number(text, 1, MOST_BOXES), "1 to " + MOST_BOXES);
        int running = orElse(Setting.QUOTA_RUNNING, text -> number(text, 1, MOST_BOXES), "1 to " + MOST_BOXES, boxes);
        int cpus = orElse(
                Setting.QUOTA_CPUS,
                text -> number(text, 1, Integer.MAX_VALUE),
                "a number of processors",
                Math.multiplyExact(running, size.cpus()));
        long memory = orElse(Setting.QUOTA_MEMORY, Amounts::bytes, "a size, such as 80G", running * size.memoryBytes());
        long disk = orElse(Setting.QUOTA_DISK, Amounts::bytes, "a size, such as 1T", boxes * size.diskBytes());
        int snapshots =
                value(Setting.QUOTA_SNAPSHOTS, text -> number(text, 1, Integer.MAX_VALUE), "a number of snapshots");
        return new Quota(boxes, running, cpus, memory, disk, snapshots);
    }

    private <T> T orElse(Setting setting, Function<String, Optional<T>> parse, String expected, T otherwise) {
        return value(setting, text -> text.isEmpty() ? Optional.of(otherwise) : parse.apply(text), expected);
    }

    private Optional<LoginConfig> login() {
        String issuer = value(Setting.LOGIN_ISSUER, Configuration::issuer, "an https URL, or github");
        String client = value(Setting.LOGIN_CLIENT_ID, Optional::of, "what this server is called there");
        String secret = value(Setting.LOGIN_CLIENT_SECRET_FILE, NamingSettings::secret, "a file that can be read");
        Admission admission = value(
                Setting.LOGIN_ADMIT,
                Configuration::admission,
                "domain:NAME, org:NAME and subject:NAME with commas between");
        if (issuer.isEmpty()) {
            return Optional.empty();
        }
        if (client.isEmpty()) {
            problems.add(Setting.LOGIN_ISSUER.key(), "needs login_client_id, which the issuer gives");
        }
        return Optional.of(new LoginConfig(issuer, client, secret, admission));
    }

    private static Optional<String> issuer(String text) {
        if (text.isEmpty() || text.equals(LoginConfig.GITHUB)) {
            return Optional.of(text);
        }
        return url(text).map(URI::toString);
    }

    private static Optional<Admission> admission(String text) {
        Map<String, Set<String>> said = new HashMap<>();
        for (String word : text.split(",", -1)) {
            String one = word.strip();
            int colon = one.indexOf(':');
            if (one.isEmpty()) {
                continue;
            }
            if (colon < 0 || colon == one.length() - 1 || !ADMITTED.contains(one.substring(0, colon))) {
                return Optional.empty();
            }
            said.computeIfAbsent(one.substring(0, colon), _ -> new HashSet<>()).add(one.substring(colon + 1));
        }
        return Optional.of(new Admission(
                said.getOrDefault("domain", Set.of()),
                said.getOrDefault("org", Set.of()),
                said.getOrDefault("subject", Set.of())));
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

    /** Nothing said is none. */
    private static Optional<Optional<Path>> pass(String text) {
        Optional<Path> path = path(text);
        return text.isEmpty() || path.isPresent() ? Optional.of(path.filter(_ -> !text.isEmpty())) : Optional.empty();
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

    private static Optional<Optional<Integer>> portOrOff(String text) {
        if (text.equals("off")) {
            return Optional.of(Optional.empty());
        }
        Optional<Integer> port = number(text, 0, LAST_PORT);
        return port.isPresent() ? Optional.of(port) : Optional.empty();
    }

    private static Optional<Boolean> flag(String text) {
        return switch (text) {
            case "true" -> Optional.of(true);
            case "false" -> Optional.of(false);
            default -> Optional.empty();
        };
    }

    /** Nothing said is nothing collected. */
    private static Optional<Optional<URI>> collector(String text) {
        if (text.isEmpty()) {
            return Optional.of(Optional.empty());
        }
        Optional<URI> url = url(text);
        return url.isPresent() ? Optional.of(url) : Optional.empty();
    }

    private static Optional<URI> url(String text) {
        try {
            URI url = new URI(text);
            boolean usable =
                    ("http".equals(url.getScheme()) || "https".equals(url.getScheme())) && url.getHost() != null;
            return usable ? Optional.of(url) : Optional.empty();
        } catch (URISyntaxException e) {
            return Optional.empty();
        }
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
