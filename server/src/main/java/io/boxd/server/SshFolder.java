package io.boxd.server;

import io.boxd.accounts.SshKey;
import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.linux.Command;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The SSH keys that somebody has on this host. */
final class SshFolder {
    private static final Logger LOG = LoggerFactory.getLogger(SshFolder.class);
    private static final int MOST_KEYS = 20;
    private static final int LONGEST_FILE = 16 * 1024;
    private static final int MAKING_SECONDS = 60;

    private final HostUser user;

    SshFolder(HostUser user) {
        this.user = user;
    }

    private Path folder() {
        return user.home().resolve(".ssh");
    }

    /** Those in files that end in .pub, as far as they can be used. */
    List<SshKey> keys() {
        if (!Files.isDirectory(folder())) {
            return List.of();
        }
        List<Path> files;
        try (Stream<Path> all = Files.list(folder())) {
            files = all.filter(file -> file.getFileName().toString().endsWith(".pub"))
                    .sorted()
                    .limit(MOST_KEYS)
                    .toList();
        } catch (IOException e) {
            LOG.warn("cannot look into {}", folder(), e);
            return List.of();
        }
        List<SshKey> keys = new ArrayList<>();
        for (Path file : files) {
            try (InputStream content = Files.newInputStream(file)) {
                keys.add(SshKey.parse(new String(content.readNBytes(LONGEST_FILE), StandardCharsets.UTF_8)));
            } catch (BoxdException | IOException e) {
                // Whatever it is, it is no key that anybody could log in with.
                LOG.info("{} is left out: {}", file, e.getMessage());
            }
        }
        return keys;
    }

    /** Makes a key as the user would; done by the user, so that nothing in their home becomes somebody else's. */
    SshKey make() {
        Deadline deadline = Deadline.inSeconds(MAKING_SECONDS);
        Path file = folder().resolve("id_ed25519");
        as("mkdir", "-p", "-m", "700", folder().toString()).run(deadline);
        Command.Result made = as(
                        "ssh-keygen",
                        "-q",
                        "-t",
                        "ed25519",
                        "-N",
                        "",
                        "-C",
                        user.name() + "@boxd",
                        "-f",
                        file.toString())
                .run(deadline);
        Path published = folder().resolve("id_ed25519.pub");
        if (!made.succeeded() || !Files.exists(published)) {
            throw new BoxdException(
                    ErrorCode.UNAVAILABLE,
                    "no SSH key could be made for " + user.name() + ": "
                            + made.errors().strip(),
                    "Make one: ssh-keygen -t ed25519. Then start the server again.",
                    null);
        }
        try {
            return SshKey.parse(Files.readString(published));
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.UNAVAILABLE, "cannot read " + published, e);
        }
    }

    private Command as(String... words) {
        List<String> line = new ArrayList<>();
        boolean ourselves = user.name().equals(System.getProperty("user.name"));
        if (!ourselves) {
            line.addAll(List.of("runuser", "-u", user.name(), "--"));
        }
        line.addAll(List.of(words));
        return Command.of(line);
    }
}
