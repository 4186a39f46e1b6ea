package io.boxd.ssh;

import io.boxd.common.Deadline;
import io.boxd.common.Json;
import io.boxd.control.TestingControl;
import io.boxd.linux.Command;
import io.boxd.linux.FileOwner;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** The doors over boxes without machines, and OpenSSH's client before them. */
final class TestingDoors implements AutoCloseable {
    private final Path folder;
    private final TestingControl house = new TestingControl();
    private final SshDoors doors;
    private final AtomicInteger screens = new AtomicInteger();

    TestingDoors() {
        try {
            folder = Files.createTempDirectory("boxd-ssh-");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        doors = SshDoors.open(
                new SshConfig(InetAddress.ofLiteral("127.0.0.1"), 0, folder.resolve("keys"), "boxd.localhost", "test"),
                house.control());
        try {
            Files.writeString(folder.resolve("known_hosts"), "@cert-authority * " + doors.authority() + "\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    TestingControl house() {
        return house;
    }

    SshDoors doors() {
        return doors;
    }

    Path folder() {
        return folder;
    }

    /** A new key that nobody knows. */
    Path key(String name) {
        return key(name, "ed25519");
    }

    Path key(String name, String type) {
        Path file = folder.resolve(name);
        Command.of("ssh-keygen", "-q", "-t", type, "-N", "", "-C", name, "-f", file.toString())
                .check(Deadline.inSeconds(30));
        return file;
    }

    String publicKey(Path key) {
        try {
            return Files.readString(Path.of(key + ".pub")).strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A new key of this user. */
    Path keyOf(String user) {
        Path key = key("key-of-" + user);
        house.say(user, "key add", Json.write(Json.object().put("key", publicKey(key))));
        return key;
    }

    /** The client's words up to the command. */
    List<String> client(Path key, String user, String... options) {
        List<String> words = new ArrayList<>(List.of("ssh", "-F", "none", "-p", String.valueOf(doors.port())));
        words.addAll(List.of("-o", "UserKnownHostsFile=" + folder.resolve("known_hosts")));
        words.addAll(List.of("-o", "StrictHostKeyChecking=yes", "-o", "IdentityAgent=none"));
        words.addAll(List.of("-o", "BatchMode=yes", "-o", "IdentitiesOnly=yes", "-i", key.toString()));
        words.addAll(List.of(options));
        words.add(user + "@127.0.0.1");
        return words;
    }

    /** What OpenSSH's client prints and ends with. */
    Command.Result run(Path key, String user, String... command) {
        return runWith(key, user, "", command);
    }

    Command.Result runWith(Path key, String user, String input, String... command) {
        List<String> words = client(key, user);
        words.addAll(List.of(command));
        return Command.of(words).withInput(input).run(Deadline.inSeconds(60));
    }

    /** The client's words in a terminal. */
    TestingScreen screen(List<String> words) {
        return new TestingScreen(folder.resolve("tmux-" + screens.incrementAndGet()), words);
    }

    @Override
    public void close() {
        doors.close();
        house.close();
        FileOwner.deleteTree(folder);
    }
}
