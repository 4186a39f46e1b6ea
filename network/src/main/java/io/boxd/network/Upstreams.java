package io.boxd.network;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The resolvers that queries are forwarded to: those that were configured, or else the host's own,
 * read again whenever its file changes. Thread-safe.
 */
final class Upstreams {
    private static final Path FILE = Path.of("/etc/resolv.conf");
    private static final int PORT = 53;

    private final List<InetSocketAddress> configured;
    private final Path file;
    private @Nullable FileTime readAt;
    private List<InetSocketAddress> found = List.of();

    private Upstreams(List<InetSocketAddress> configured, Path file) {
        this.configured = configured;
        this.file = file;
    }

    static Upstreams of(List<InetSocketAddress> configured) {
        return new Upstreams(configured, FILE);
    }

    static Upstreams ofFile(Path file) {
        return new Upstreams(List.of(), file);
    }

    /** In the order in which they are to be asked; an unreadable line is an error, not left out. */
    synchronized List<InetSocketAddress> servers() {
        if (!configured.isEmpty()) {
            return configured;
        }
        try {
            FileTime changed = Files.getLastModifiedTime(file);
            if (!changed.equals(readAt)) {
                found = parse(Files.readString(file));
                readAt = changed;
            }
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.UNAVAILABLE, "cannot read " + file, e);
        }
        return found;
    }

    private List<InetSocketAddress> parse(String text) {
        List<InetSocketAddress> servers = new ArrayList<>();
        for (String line : text.lines().toList()) {
            String[] words = line.strip().split("\\s+", -1);
            if (words[0].equals("nameserver")) {
                servers.add(server(words, line));
            }
        }
        if (servers.isEmpty()) {
            throw new BoxdException(
                    ErrorCode.UNAVAILABLE,
                    file + " names no resolver",
                    "Add a line such as \"nameserver 192.0.2.53\", or configure resolvers for boxd.",
                    null);
        }
        return List.copyOf(servers);
    }

    private InetSocketAddress server(String[] words, String line) {
        try {
            if (words.length == 2) {
                return new InetSocketAddress(InetAddress.ofLiteral(words[1]), PORT);
            }
        } catch (IllegalArgumentException e) {
            throw unreadable(line, e);
        }
        throw unreadable(line, null);
    }

    private BoxdException unreadable(String line, @Nullable Throwable cause) {
        return new BoxdException(
                ErrorCode.INVALID_ARGUMENT,
                "cannot understand this line of " + file + ": " + line,
                "Write \"nameserver\" and one address.",
                cause);
    }
}
