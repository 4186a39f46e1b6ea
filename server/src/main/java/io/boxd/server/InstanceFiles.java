package io.boxd.server;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.common.Json;
import io.boxd.control.ServerFacts;
import io.boxd.linux.Durable;
import io.boxd.linux.FileOwner;
import io.boxd.linux.HostProcess;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.HexFormat;
import java.util.Optional;

/** The few files of an instance's home by which a server and its clients find each other. */
final class InstanceFiles {
    private static final int SECRET_BYTES = 32;
    private static final Duration CLOCKS_DIFFER = Duration.ofSeconds(2);
    private static final String PRIVATE = "rw-------";
    private static final String PUBLIC = "rw-r--r--";

    private final Path home;

    InstanceFiles(Path home) {
        this.home = home;
    }

    Path log() {
        return home.resolve("log");
    }

    private Path facts() {
        return home.resolve("server.json");
    }

    private Path token() {
        return home.resolve("token");
    }

    /** While it exists, the server hibernates all boxes before it ends. */
    private Path wish() {
        return home.resolve("hibernate-at-end");
    }

    /** Makes the home; everybody may pass through it to {@code server.json}, and see nothing else. */
    void make() {
        try {
            Files.createDirectories(home);
            Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("rwx--x--x"));
        } catch (IOException e) {
            throw failure("cannot make " + home, e);
        }
        FileOwner.folder(log());
    }

    /** This instance is ours until what is returned is closed, or the process ends. */
    FileChannel lock() {
        try {
            FileChannel channel =
                    FileChannel.open(home.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            if (tryLock(channel)) {
                return channel;
            }
        } catch (IOException e) {
            throw failure("cannot lock " + home, e);
        }
        String who = running().map(facts -> " (process " + facts.pid() + ")").orElse("");
        throw new BoxdException(
                ErrorCode.WRONG_STATE,
                "another boxd server" + who + " has the home " + home,
                "Ask it with boxd status, or end it with boxd down. A second instance needs a home of its own"
                        + " (BOXD_HOME).",
                null);
    }

    private static boolean tryLock(FileChannel channel) throws IOException {
        try {
            boolean locked = channel.tryLock() != null;
            if (!locked) {
                channel.close();
            }
            return locked;
        } catch (OverlappingFileLockException e) {
            // This very process has it, and would lose it by closing any descriptor of the file.
            return false;
        }
    }

    /** The secret of this instance, made when there is none yet. */
    String secret() {
        try {
            if (Files.exists(token())) {
                Files.setPosixFilePermissions(token(), PosixFilePermissions.fromString(PRIVATE));
                return Files.readString(token()).strip();
            }
            byte[] bytes = new byte[SECRET_BYTES];
            new SecureRandom().nextBytes(bytes);
            String secret = HexFormat.of().formatHex(bytes);
            write(token(), secret + "\n", PRIVATE);
            return secret;
        } catch (IOException e) {
            throw failure("cannot keep the token in " + token(), e);
        }
    }

    /** Whether this instance has one already. */
    boolean hasSecret() {
        return Files.exists(token());
    }

    /** Who besides root was given the secret. */
    Optional<Integer> owner() {
        try {
            return Optional.ofNullable((Integer) Files.getAttribute(token(), "unix:uid"))
                    .filter(uid -> uid != 0);
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** Lets one user besides root read the secret: the first who is given it. */
    void share(int uid) {
        try {
            if (Integer.valueOf(0).equals(Files.getAttribute(token(), "unix:uid"))) {
                FileOwner.give(token(), uid, PRIVATE);
            }
        } catch (IOException e) {
            throw failure("cannot share " + token(), e);
        }
    }

    /** Lets everybody see by whose certificate this server is known; returns where. */
    Path publish(String authority) {
        Path file = home.resolve("authority.pem");
        try {
            write(file, authority, PUBLIC);
            return file;
        } catch (IOException e) {
            throw failure("cannot write " + file, e);
        }
    }

    void announce(ServerFacts server) {
        try {
            write(facts(), Json.writePretty(server), PUBLIC);
        } catch (IOException e) {
            throw failure("cannot write " + facts(), e);
        }
    }

    void withdraw() {
        delete(facts());
    }

    /** The server that says it is running here, and really is. */
    Optional<ServerFacts> running() {
        try {
            ServerFacts server = Json.read(Files.readString(facts()), ServerFacts.class);
            Instant announced = Instant.parse(server.startedAt());
            // A process that began later has only inherited the number of a server that was killed.
            // One that nobody has collected yet is dead, too.
            boolean lives = HostProcess.of(Math.toIntExact(server.pid()))
                    .flatMap(process -> ProcessHandle.of(process.pid()))
                    .flatMap(process -> process.info().startInstant())
                    .filter(began -> began.isBefore(announced.plus(CLOCKS_DIFFER)))
                    .isPresent();
            return lives ? Optional.of(server) : Optional.empty();
        } catch (IOException | BoxdException | DateTimeParseException e) {
            return Optional.empty();
        }
    }

    void wishForHibernation() {
        try {
            write(wish(), "", PRIVATE);
        } catch (IOException e) {
            throw failure("cannot write " + wish(), e);
        }
    }

    boolean hibernationIsWished() {
        return Files.exists(wish());
    }

    void forgetWish() {
        delete(wish());
    }

    private static void delete(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw failure("cannot delete " + file, e);
        }
    }

    private static void write(Path file, String text, String permissions) throws IOException {
        Durable.replace(file, text.getBytes(StandardCharsets.UTF_8), permissions);
    }

    private static BoxdException failure(String what, IOException cause) {
        return new BoxdException(ErrorCode.INTERNAL, what + ": " + cause.getMessage(), cause);
    }
}
