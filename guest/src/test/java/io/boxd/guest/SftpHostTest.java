package io.boxd.guest;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.Deadline;
import io.boxd.linux.Command;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The agent's server of files with OpenSSH's own client, which talks to it directly. */
@Tag("host")
class SftpHostTest {
    @TempDir
    private Path folder;

    private Path server;
    private Path here;
    private Path there;

    @BeforeEach
    void prepare() throws IOException {
        here = Files.createDirectory(folder.resolve("here"));
        there = Files.createDirectory(folder.resolve("there"));
        server = folder.resolve("server");
        Files.writeString(server, "#!/bin/sh\ncd " + there + " && exec " + TestingAgent.binary() + " sftp\n");
        assertThat(server.toFile().setExecutable(true)).isTrue();
    }

    /** Runs the lines; one that begins with a dash may fail. */
    private String sftp(String... lines) throws IOException {
        Path batch = Files.write(folder.resolve("batch"), List.of(lines));
        return Command.of("sftp", "-b", batch.toString(), "-D", server.toString())
                .check(Deadline.inSeconds(60))
                .output();
    }

    private Path content(String name, int bytes) throws IOException {
        byte[] content = new byte[bytes];
        new Random(bytes).nextBytes(content);
        return Files.write(here.resolve(name), content);
    }

    @Test
    void putsGetsAndGoesOn() throws IOException {
        Path big = content("big", 20_000_000);
        Files.write(there.resolve("part"), Arrays.copyOf(Files.readAllBytes(big), 7_000_001));
        Files.write(here.resolve("back"), Arrays.copyOf(Files.readAllBytes(big), 5_000_003));
        sftp(
                "put " + big + " big",
                "reput " + big + " part",
                "reget big " + here.resolve("back"),
                "put -p " + big + " kept");
        for (Path copy : List.of(there.resolve("big"), there.resolve("part"), here.resolve("back"))) {
            assertThat(copy).hasSameBinaryContentAs(big);
        }
        assertThat(Files.getLastModifiedTime(there.resolve("kept")).toInstant().getEpochSecond())
                .isEqualTo(Files.getLastModifiedTime(big).toInstant().getEpochSecond());
    }

    @Test
    void changesNamesAndAttributes() throws IOException {
        content("file", 1000);
        String said = sftp(
                "put " + here.resolve("file") + " one",
                "mkdir sub",
                "rename one sub/two",
                "ln -s sub/two link",
                "ln sub/two hard",
                "chmod 604 hard",
                "df -h .",
                "ls -la",
                "cp hard copied",
                "rm hard",
                "-rmdir sub",
                "pwd");
        assertThat(Files.readSymbolicLink(there.resolve("link"))).hasToString("sub/two");
        assertThat(there.resolve("copied")).hasSize(1000);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(there.resolve("sub/two"))))
                .isEqualTo("rw----r--");
        assertThat(there.resolve("hard")).doesNotExist();
        assertThat(there.resolve("sub")).exists();
        assertThat(said).contains("%Capacity", "drwxr-xr-x", "-rw----r--", "directory: " + there.toRealPath());
    }

    @Test
    void movesWholeTrees() throws IOException {
        Path tree = Files.createDirectories(here.resolve("tree/a/b"));
        for (int i = 0; i < 300; i++) {
            Files.writeString(tree.resolve("f" + i), "content " + i);
        }
        sftp("put -r " + here.resolve("tree"), "get -r tree " + here.resolve("back"));
        Command.of(
                        "diff",
                        "-r",
                        here.resolve("tree").toString(),
                        here.resolve("back").toString())
                .check(Deadline.inSeconds(20));
    }

    @Test
    void saysWhatIsWrongInWordsThatTheClientKnows() throws IOException {
        content("file", 10);
        Path batch = Files.writeString(folder.resolve("batch"), "get nothing\n");
        Command.Result missing = Command.of("sftp", "-b", batch.toString(), "-D", server.toString())
                .run(Deadline.inSeconds(20));
        assertThat(missing.succeeded()).isFalse();
        assertThat(missing.errors()).contains("not found");
        Files.writeString(batch, "put " + here.resolve("file") + " /proc/1/attr/current\n");
        Command.Result refused = Command.of("sftp", "-b", batch.toString(), "-D", server.toString())
                .run(Deadline.inSeconds(20));
        assertThat(refused.succeeded()).isFalse();
    }

    @Test
    void holesAndSizesBeyondFourGibibytes() throws IOException {
        Path sparse = here.resolve("sparse");
        try (RandomAccessFile file = new RandomAccessFile(sparse.toFile(), "rw")) {
            file.setLength((5L << 30) + 3);
            file.seek(5L << 30);
            file.write(new byte[] {1, 2, 3});
        }
        Files.createFile(there.resolve("part"));
        try (RandomAccessFile part = new RandomAccessFile(there.resolve("part").toFile(), "rw")) {
            part.setLength((5L << 30) - 1000);
        }
        sftp("reput " + sparse + " part", "ls -l part");
        try (RandomAccessFile part = new RandomAccessFile(there.resolve("part").toFile(), "r")) {
            assertThat(part.length()).isEqualTo((5L << 30) + 3);
            part.seek((5L << 30) + 1);
            assertThat(part.read()).isEqualTo(2);
        }
    }
}
