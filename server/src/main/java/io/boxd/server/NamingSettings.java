package io.boxd.server;

import io.boxd.certificates.AcmeConfig;
import io.boxd.certificates.Proof;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Reads the settings about names: what DNS answers, and who certifies them. */
final class NamingSettings {
    private static final String LETS_ENCRYPT = "letsencrypt";
    private static final URI LETS_ENCRYPT_DIRECTORY = URI.create("https://acme-v02.api.letsencrypt.org/directory");
    private static final Pattern HOST = Pattern.compile("[a-z0-9]([a-z0-9.-]{0,250}[a-z0-9])?");
    private static final Pattern MAIL = Pattern.compile("[^@ ,\\s]+@[^@ ,\\s]+");
    private static final int LAST_PORT = 65_535;

    /** How one value is read; notes what does not fit. */
    interface Reader {
        <T> T value(Setting setting, Function<String, Optional<T>> parse, String expected);
    }

    private final Reader reader;
    private final Problems problems;

    NamingSettings(Reader reader, Problems problems) {
        this.reader = reader;
        this.problems = problems;
    }

    NamingConfig read() {
        OptionalInt port =
                reader.value(Setting.DNS_PORT, NamingSettings::port, "a port; 0 for any that is free; or off");
        List<InetAddress> doors = reader.value(
                Setting.DNS_ADDRESSES, text -> all(text, NamingSettings::address), "addresses with commas between");
        List<String> servers = reader.value(
                Setting.DNS_SERVERS, text -> all(text, NamingSettings::host), "host names with commas between");
        List<String> certifiers = reader.value(
                Setting.DNS_CERTIFIERS,
                text -> all(text, NamingSettings::host),
                "domains of certificate authorities with commas between, such as letsencrypt.org");
        return new NamingConfig(port, doors, servers, certifiers, acme(port));
    }

    private Optional<AcmeConfig> acme(OptionalInt dnsPort) {
        Optional<URI> directory = reader.value(
                Setting.ACME_DIRECTORY, NamingSettings::directory, "letsencrypt, or the https URL of a directory");
        List<String> contacts = reader.value(
                Setting.ACME_CONTACTS,
                text -> all(text, word -> Optional.of(word).filter(MAIL.asMatchPredicate())),
                "mail addresses with commas between");
        Proof proof = reader.value(Setting.ACME_PROOF, NamingSettings::proof, "dns or http");
        Optional<Path> believed =
                reader.value(Setting.ACME_BELIEVED, NamingSettings::file, "a file with certificates that can be read");
        String id = reader.value(Setting.ACME_EXTERNAL_ID, Optional::of, "what the authority calls your account");
        String key = reader.value(
                Setting.ACME_EXTERNAL_KEY_FILE, NamingSettings::secret, "a file with its key that can be read");
        if (directory.isEmpty()) {
            return Optional.empty();
        }
        if (id.isEmpty() != key.isEmpty()) {
            problems.add(Setting.ACME_EXTERNAL_ID.key(), "needs acme_external_key_file, and the other way round");
        }
        if (proof == Proof.DNS && dnsPort.isEmpty()) {
            problems.add(
                    Setting.ACME_PROOF.key(), "is dns, which needs the DNS door: choose a dns_port, or http as proof");
        }
        Optional<AcmeConfig.ExternalAccount> external =
                id.isEmpty() ? Optional.empty() : Optional.of(new AcmeConfig.ExternalAccount(id, key));
        return Optional.of(new AcmeConfig(directory.get(), contacts, proof, believed, external));
    }

    private static Optional<OptionalInt> port(String text) {
        if (text.equals("off")) {
            return Optional.of(OptionalInt.empty());
        }
        try {
            int port = Integer.parseInt(text);
            return port >= 0 && port <= LAST_PORT ? Optional.of(OptionalInt.of(port)) : Optional.empty();
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    /** Empty unless each word fits. */
    private static <T> Optional<List<T>> all(String text, Function<String, Optional<T>> parse) {
        List<String> words = Stream.of(text.split(",", -1))
                .map(String::strip)
                .filter(word -> !word.isEmpty())
                .toList();
        List<T> values = new ArrayList<>();
        words.forEach(word -> parse.apply(word).ifPresent(values::add));
        return values.size() == words.size() ? Optional.of(values) : Optional.empty();
    }

    private static Optional<InetAddress> address(String word) {
        try {
            return Optional.of(InetAddress.ofLiteral(word));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static Optional<String> host(String word) {
        return Optional.of(word).filter(HOST.asMatchPredicate());
    }

    private static Optional<Optional<URI>> directory(String text) {
        if (text.isEmpty()) {
            return Optional.of(Optional.empty());
        }
        if (text.equals(LETS_ENCRYPT)) {
            return Optional.of(Optional.of(LETS_ENCRYPT_DIRECTORY));
        }
        try {
            URI url = new URI(text);
            boolean usable = "https".equals(url.getScheme()) && url.getHost() != null;
            return usable ? Optional.of(Optional.of(url)) : Optional.empty();
        } catch (URISyntaxException e) {
            return Optional.empty();
        }
    }

    private static Optional<Proof> proof(String text) {
        return switch (text) {
            case "dns" -> Optional.of(Proof.DNS);
            case "http" -> Optional.of(Proof.HTTP);
            default -> Optional.empty();
        };
    }

    private static Optional<Optional<Path>> file(String text) {
        if (text.isEmpty()) {
            return Optional.of(Optional.empty());
        }
        try {
            Path file = Path.of(text);
            return Files.isReadable(file) ? Optional.of(Optional.of(file)) : Optional.empty();
        } catch (InvalidPathException e) {
            return Optional.empty();
        }
    }

    /** What a file holds that only its owner should read; nothing if no file is named. */
    static Optional<String> secret(String text) {
        if (text.isEmpty()) {
            return Optional.of("");
        }
        try {
            return Optional.of(Files.readString(Path.of(text)).strip()).filter(secret -> !secret.isEmpty());
        } catch (IOException | InvalidPathException e) {
            return Optional.empty();
        }
    }
}
