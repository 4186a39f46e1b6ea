package io.boxd.guest;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.linux.Command;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whole folders through the real agent, and archives that want to be somewhere else. */
@Tag("host")
class TreesHostTest {
    private static final boolean LONG = Boolean.getBoolean("boxd.test.long");
    private static final int MANY_FILES = LONG ? 10_000 : 500;
    private static final long SPARSE_BYTES = 4L << 30;

    @TempDir
    private Path folder;

    private TestingAgent agent;
    private AgentConnection connection;

    @BeforeEach
    void connect() throws IOException {
        agent = TestingAgent.start();
        connection = agent.connect();
        Files.createDirectory(folder.resolve("from"));
    }

    @AfterEach
    void close() throws IOException {
        connection.close();
        agent.close();
    }

    private static Deadline soon() {
        return Deadline.inSeconds(60);
    }

    private GuestPath path(String name) {
        return GuestPath.of(folder.resolve(name).toString());
    }

    private TreeDownload pack(String name) {
        return connection.trees("").pack(path(name), soon());
    }

    private GuestTrees.Unpacked unpack(String name, byte[] archive) {
        return connection.trees("").unpack(path(name), new ByteArrayInputStream(archive), true, soon());
    }

    /** What tools of this host say; their output tells two trees apart. */
    private String sh(String script) {
        return Command.of("sh", "-c", script)
                .withDirectory(folder)
                .check(soon())
                .output();
    }

    private String describe(String name) {
        return sh("cd " + name + " && find . -printf '%y %m %U %G %s %l %T@ %n ' -print0 | sort -z | tr '\\0' '\\n'"
                + "; find . -type f -print0 | sort -z | xargs -0 -r sha256sum");
    }

    private void makeTree() throws IOException {
        Path from = folder.resolve("from");
        Files.createDirectories(from.resolve("a/b/c"));
        Files.writeString(from.resolve("a/file"), "content");
        Files.createLink(from.resolve("a/b/hard"), from.resolve("a/file"));
        Files.createSymbolicLink(from.resolve("a/soft"), Path.of("../../outside"));
        Files.createSymbolicLink(from.resolve("absolute"), Path.of("/no/such/place"));
        Files.writeString(from.resolve("long-" + "x".repeat(200)), "long");
        Files.createDirectories(from.resolve("d".repeat(120) + "/" + "e".repeat(120)));
        Files.writeString(from.resolve("d".repeat(120) + "/" + "e".repeat(120) + "/f"), "deep");
        Files.write(from.resolve("odd"), new byte[511]);
        Files.write(from.resolve("even"), new byte[512]);
        Files.createFile(from.resolve("empty"));
        sh("cd from && printf x > \"$(printf 'bad\\377name')\" && printf y > \"$(printf 'new\\nline')\"");
        sh("cd from && chmod 4751 a/file && chmod 500 a/b/c && chown 12:34 odd && chown -h 3000000:5 a/soft");
        Files.setLastModifiedTime(
                from.resolve("even"), FileTime.from(Instant.ofEpochSecond(1_000_000_000, 123_456_789)));
        Files.setLastModifiedTime(from.resolve("a/b/c"), FileTime.from(Instant.ofEpochSecond(-5, 5)));
    }

    @Test
    void keepsEverythingThatATreeIs() throws IOException {
        makeTree();
        byte[] archive;
        try (TreeDownload download = pack("from")) {
            archive = download.readAllBytes();
            assertThat(download.packed().orElseThrow().skipped()).isZero();
            assertThat(download.packed().orElseThrow().changed()).isZero();
        }
        GuestTrees.Unpacked unpacked = unpack("to", archive);
        assertThat(unpacked.skipped()).isZero();
        assertThat(describe("to")).isEqualTo(describe("from"));
        assertThat(Files.isSameFile(folder.resolve("to/a/file"), folder.resolve("to/a/b/hard")))
                .isTrue();
    }

    @Test
    void speaksWithOtherTars() throws IOException {
        makeTree();
        sh("truncate -s 3M from/sparse && printf x | dd of=from/sparse bs=1 seek=1000000 conv=notrunc 2>/dev/null");
        Path ours = folder.resolve("ours.tar");
        try (TreeDownload download = pack("from")) {
            Files.copy(download, ours);
        }
        sh("mkdir theirs && tar --numeric-owner -xpf ours.tar -C theirs");
        assertThat(describe("theirs")).isEqualTo(describe("from"));
        for (String format :
                List.of("gnu", "pax", "ustar --exclude=*sparse --exclude=ddd* --exclude=long* --exclude=soft")) {
            sh("rm -rf theirs && tar --format=" + format + " -cf theirs.tar -C from .");
            unpack("theirs", Files.readAllBytes(folder.resolve("theirs.tar")));
            assertThat(Files.readString(folder.resolve("theirs/a/file"))).isEqualTo("content");
            if (!format.contains("exclude")) {
                assertThat(sh("cd from && find . -type f -print0 | sort -z | xargs -0 sha256sum"))
                        .isEqualTo(sh("cd theirs && find . -type f -print0 | sort -z | xargs -0 sha256sum"));
            }
        }
    }

    @Test
    void holesStayHoles() throws IOException {
        Path sparse = folder.resolve("from/sparse");
        try (RandomAccessFile file = new RandomAccessFile(sparse.toFile(), "rw")) {
            file.setLength(SPARSE_BYTES);
            for (long at = 0; at < SPARSE_BYTES - 100; at += SPARSE_BYTES / 7) {
                file.seek(at);
                file.write(("here is " + at).getBytes(UTF_8));
            }
        }
        byte[] archive;
        try (TreeDownload download = pack("from")) {
            archive = download.readAllBytes();
        }
        assertThat(archive.length).isLessThan(1 << 20);
        GuestTrees.Unpacked unpacked = unpack("to", archive);
        assertThat(unpacked.contentBytes()).isLessThan(1 << 20);
        FileAttributes found = connection.files("").stat(path("to/sparse"), soon());
        assertThat(found.size()).isEqualTo(SPARSE_BYTES);
        assertThat(found.allocatedBytes()).isLessThan(1 << 20);
        try (RandomAccessFile file =
                new RandomAccessFile(folder.resolve("to/sparse").toFile(), "r")) {
            for (long at = 0; at < SPARSE_BYTES - 100; at += SPARSE_BYTES / 7) {
                byte[] expected = ("here is " + at).getBytes(UTF_8);
                byte[] there = new byte[expected.length];
                file.seek(at);
                file.readFully(there);
                assertThat(there).isEqualTo(expected);
            }
        }
    }

    @Test
    void movesManySmallFiles() throws IOException {
        for (int i = 0; i < MANY_FILES; i++) {
            Path inner = folder.resolve("from/" + i % 50);
            Files.createDirectories(inner);
            Files.writeString(inner.resolve("f" + i), "content " + i);
        }
        try (TreeDownload download = pack("from")) {
            GuestTrees.Unpacked unpacked = connection.trees("").unpack(path("to"), download, false, soon());
            assertThat(unpacked.entries()).isEqualTo(MANY_FILES + 50);
        }
        assertThat(Files.readString(folder.resolve("to/7/f57"))).isEqualTo("content 57");
        assertThat(sh("find to -type f | wc -l").strip()).isEqualTo(Integer.toString(MANY_FILES));
    }

    @Test
    void aUserPacksAndUnpacksAsThatUser() throws IOException {
        sh("chmod 755 . from && printf x > from/secret && chmod 600 from/secret && mkdir own && chown daemon own");
        GuestTrees daemon = connection.trees("daemon");
        try (TreeDownload download = daemon.pack(path("from"), soon())) {
            assertThatThrownBy(download::readAllBytes).hasMessageContaining("secret: Permission denied");
        }
        byte[] archive = archive(entry("a", '0', "", "hello"));
        assertThatThrownBy(() -> daemon.unpack(path("from"), new ByteArrayInputStream(archive), false, soon()))
                .isInstanceOfSatisfying(
                        BoxdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PERMISSION_DENIED));
        daemon.unpack(path("own"), new ByteArrayInputStream(archive), false, soon());
        assertThat(Files.getOwner(folder.resolve("own/a")).getName()).isEqualTo("daemon");
    }

    @Test
    void replacesWhatIsThereInsteadOfWritingThroughIt() throws IOException {
        Path target = Files.createDirectory(folder.resolve("to"));
        Path victim = Files.writeString(folder.resolve("victim"), "untouched");
        Files.createSymbolicLink(target.resolve("link"), victim);
        Files.createLink(target.resolve("hard"), victim);
        unpack("to", archive(entry("link", '0', "", "new"), entry("hard", '0', "", "new")));
        assertThat(Files.readString(victim)).isEqualTo("untouched");
        assertThat(Files.readString(target.resolve("link"))).isEqualTo("new");
        assertThat(Files.isSymbolicLink(target.resolve("link"))).isFalse();
    }

    /** Archives that try to put a file named {@code escaped} into the folder around their own. */
    private List<byte[]> escapes() {
        String around = folder.toString();
        return List.of(
                archive(entry("../escaped", '0', "", "out")),
                archive(entry("a/../../escaped", '0', "", "out")),
                archive(entry("way", '2', "..", ""), entry("way/escaped", '0', "", "out")),
                archive(entry("way", '2', around, ""), entry("way/escaped", '0', "", "out")),
                archive(
                        entry("x", '5', "", ""),
                        entry("x/way", '2', "../..", ""),
                        entry("x/way/escaped", '0', "", "out")),
                archive(entry("way", '2', "..", ""), entry("way/escaped", '5', "", "")),
                archive(entry("way", '2', "..", ""), entry("way/escaped", '2', "anywhere", "")));
    }

    private static boolean unpackInto(AgentConnection connection, GuestPath target, byte[] archive) {
        try {
            connection.trees("").unpack(target, new ByteArrayInputStream(archive), true, soon());
            return true;
        } catch (BoxdException e) {
            assertThat(e.code())
                    .as(e.getMessage())
                    .isIn(
                            ErrorCode.INVALID_ARGUMENT,
                            ErrorCode.NOT_FOUND,
                            ErrorCode.ALREADY_EXISTS,
                            ErrorCode.WRONG_STATE);
            return false;
        }
    }

    @Test
    void anArchiveCannotLeaveItsFolder() {
        int number = 0;
        for (byte[] archive : escapes()) {
            assertThat(unpackInto(connection, path("to" + number++), archive)).isFalse();
            assertThat(folder.resolve("escaped")).doesNotExist();
        }
        // Absolute names, and hard links to what is outside, for which no innocent target exists to try with.
        for (byte[] archive : List.of(
                archive(entry(folder.resolve("escaped").toString(), '0', "", "out")),
                archive(entry("hard", '1', "../from", "")),
                archive(entry("way", '2', "..", ""), entry("hard", '1', "way/from", "")),
                archive(entry("..", '5', "", "")),
                archive(entry("", '0', "", "nameless")),
                Arrays.copyOf(archive(entry("cut", '0', "", "x".repeat(2000))), 1500),
                "this is no archive".repeat(100).getBytes(UTF_8))) {
            assertThat(unpackInto(connection, path("to" + number++), archive)).isFalse();
            assertThat(folder.resolve("escaped")).doesNotExist();
        }
    }

    @Test
    void withoutItsProtectionEveryArchiveLeavesItsFolder() throws IOException {
        try (TestingAgent unprotected = TestingAgent.startUnprotected();
                AgentConnection open = unprotected.connect()) {
            int number = 0;
            for (byte[] archive : escapes()) {
                unpackInto(open, path("to" + number), archive);
                Path escaped = folder.resolve("escaped");
                assertThat(Files.exists(escaped, LinkOption.NOFOLLOW_LINKS))
                        .as("archive " + number++ + " must get out of an agent that does not look")
                        .isTrue();
                Files.delete(escaped);
            }
        }
    }

    @Test
    void aFolderThatBecomesALinkMeanwhileIsNotGoneThrough() throws Exception {
        Path target = Files.createDirectories(folder.resolve("to"));
        Path outside = Files.createDirectory(folder.resolve("outside"));
        Path real = Files.createDirectory(folder.resolve("real"));
        Path link = Files.createSymbolicLink(folder.resolve("link"), outside);
        AtomicBoolean over = new AtomicBoolean();
        Thread swapping = Thread.ofPlatform().start(() -> swap(target.resolve("x"), real, link, over));
        try {
            byte[] archive = archive(entry("x/escaped", '0', "", "out"), entry("x/y", '5', "", ""));
            for (int i = 0; i < (LONG ? 5000 : 500); i++) {
                unpackInto(connection, path("to"), archive);
                assertThat(outside).isEmptyDirectory();
            }
        } finally {
            over.set(true);
            swapping.join();
        }
    }

    /** Puts now a folder and now a link under the same name, as fast as it can. */
    private static void swap(Path name, Path real, Path link, AtomicBoolean over) {
        while (!over.get()) {
            for (Path one : List.of(real, link)) {
                try {
                    Files.move(one, name);
                    Files.move(name, one);
                } catch (IOException e) {
                    // The archive's own folder is in the way for once.
                    removeQuietly(name);
                }
            }
        }
    }

    private static void removeQuietly(Path name) {
        Command.of("rm", "-rf", name.toString()).run(soon());
    }

    private static byte[] archive(byte[]... entries) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Arrays.stream(entries).forEach(out::writeBytes);
        out.writeBytes(new byte[1024]);
        return out.toByteArray();
    }

    /** One entry in the oldest format, which is all that an attack needs. */
    private static byte[] entry(String name, char type, String link, String content) {
        byte[] data = content.getBytes(UTF_8);
        byte[] block = new byte[512];
        put(block, 0, name, ISO_8859_1);
        put(block, 100, "0000755", UTF_8);
        put(block, 108, "0000000", UTF_8);
        put(block, 116, "0000000", UTF_8);
        put(block, 124, String.format("%011o", data.length), UTF_8);
        put(block, 136, "00000000000", UTF_8);
        put(block, 148, "        ", UTF_8);
        block[156] = (byte) type;
        put(block, 157, link, ISO_8859_1);
        int sum = 0;
        for (byte value : block) {
            sum += Byte.toUnsignedInt(value);
        }
        put(block, 148, String.format("%06o\0 ", sum), UTF_8);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(block);
        out.writeBytes(Arrays.copyOf(data, (data.length + 511) / 512 * 512));
        return out.toByteArray();
    }

    private static void put(byte[] block, int at, String text, Charset charset) {
        byte[] bytes = text.getBytes(charset);
        System.arraycopy(bytes, 0, block, at, bytes.length);
    }
}
