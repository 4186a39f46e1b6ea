package io.boxd.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.console.Copied;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Archives: ours come back as they were, and hostile ones stay where they belong. */
@Tag("unit")
final class UnpackerTest {
    private static final Instant TIME = Instant.parse("2024-05-06T07:08:09.123456789Z");

    @TempDir
    private Path folder;

    private Path target;
    private Path outside;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final TarWriter archive = new TarWriter(bytes);

    @BeforeEach
    void prepare() throws IOException {
        target = Files.createDirectory(folder.resolve("target"));
        outside = Files.writeString(folder.resolve("outside"), "untouched");
    }

    @Test
    void aTreeComesBackAsItWas() throws IOException {
        Path source = Files.createDirectory(folder.resolve("source"));
        Path deep = Files.createDirectories(source.resolve("a/" + "long-name-".repeat(15) + "/ü"));
        Path file = Files.writeString(deep.resolve("file"), "content");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-x--x"));
        Files.setLastModifiedTime(file, FileTime.from(TIME));
        Files.write(source.resolve("empty"), new byte[0]);
        Files.write(source.resolve("block"), new byte[512]);
        Files.createSymbolicLink(source.resolve("link"), Path.of("a"));
        Files.setPosixFilePermissions(source.resolve("a"), PosixFilePermissions.fromString("rwx------"));
        Files.setLastModifiedTime(source.resolve("a"), FileTime.from(TIME));
        Copied packed = Packer.pack(source, bytes);
        Copied unpacked = Unpacker.unpack(new ByteArrayInputStream(bytes.toByteArray()), target);
        assertThat(unpacked).isEqualTo(packed).isEqualTo(new Copied(519, 7, 0));
        Path copy = target.resolve(source.relativize(file));
        assertThat(copy).hasContent("content");
        assertThat(Files.getPosixFilePermissions(copy)).isEqualTo(Files.getPosixFilePermissions(file));
        assertThat(Files.getLastModifiedTime(copy).toInstant()).isEqualTo(TIME);
        assertThat(Files.getLastModifiedTime(target.resolve("a")).toInstant()).isEqualTo(TIME);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(target.resolve("a"))))
                .isEqualTo("rwx------");
        assertThat(Files.readSymbolicLink(target.resolve("link"))).isEqualTo(Path.of("a"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"../outside", "/tmp/boxd-outside", "a/../../outside", "..", "a/.."})
    void namesThatLeadOutAreRefused(String name) throws IOException {
        file(name, "evil");
        assertThatThrownBy(this::unpack).hasMessageContaining("leads out");
        assertThat(outside).hasContent("untouched");
        assertThat(Path.of("/tmp/boxd-outside")).doesNotExist();
    }

    @Test
    void aLinkIsNeverWrittenThrough() throws IOException {
        Files.createSymbolicLink(target.resolve("there"), folder);
        file("there/outside", "evil");
        assertThatThrownBy(this::unpack).hasMessageContaining("leads out");
        assertThat(outside).hasContent("untouched");
    }

    @Test
    void aLinkInTheWayIsReplaced() throws IOException {
        Files.createSymbolicLink(target.resolve("file"), outside);
        file("file", "new");
        unpack();
        assertThat(outside).hasContent("untouched");
        assertThat(target.resolve("file")).hasContent("new").isRegularFile();
        assertThat(Files.isSymbolicLink(target.resolve("file"))).isFalse();
    }

    @Test
    void linksThatLeadOutAreLeftOut() throws IOException {
        link(TarEntry.Kind.LINK, "absolute", "/etc");
        link(TarEntry.Kind.LINK, "up", "../outside");
        link(TarEntry.Kind.LINK, "around", "../target/x");
        link(TarEntry.Kind.LINK, "fine", "a/b");
        assertThat(unpack().skipped()).isEqualTo(3);
        assertThat(target.resolve("fine")).isSymbolicLink();
        assertThat(Files.exists(target.resolve("absolute"), LinkOption.NOFOLLOW_LINKS))
                .isFalse();
        assertThat(Files.exists(target.resolve("up"), LinkOption.NOFOLLOW_LINKS))
                .isFalse();
    }

    @Test
    void aChainOfLinksDoesNotLeadOut() throws IOException {
        folder("a");
        link(TarEntry.Kind.LINK, "a/here", ".");
        link(TarEntry.Kind.LINK, "out", "a/here/../..");
        assertThat(unpack().skipped()).isEqualTo(1);
        assertThat(Files.exists(target.resolve("out"), LinkOption.NOFOLLOW_LINKS))
                .isFalse();
    }

    @Test
    void hardLinksJoinOnlyWhatIsInTheFolder() throws IOException {
        file("file", "x");
        link(TarEntry.Kind.HARD_LINK, "second", "file");
        unpack();
        assertThat(target.resolve("second")).hasContent("x");
        bytes.reset();
        link(TarEntry.Kind.HARD_LINK, "third", "../outside");
        assertThatThrownBy(this::unpack).hasMessageContaining("leads out");
        bytes.reset();
        Files.createSymbolicLink(target.resolve("way"), outside);
        link(TarEntry.Kind.HARD_LINK, "third", "way");
        assertThat(unpack().skipped()).isEqualTo(1);
        assertThat(target.resolve("third")).doesNotExist();
    }

    @Test
    void holesStayHoles() throws IOException {
        String map = "2\n0\n3\n1000000\n3\n";
        byte[] content = (map + "\0".repeat(512 - map.length()) + "abcxyz").getBytes(StandardCharsets.UTF_8);
        sparse(content, 2_000_000);
        unpack();
        byte[] file = Files.readAllBytes(target.resolve("holes"));
        assertThat(file).hasSize(2_000_000);
        assertThat(new String(file, 0, 3, StandardCharsets.UTF_8)).isEqualTo("abc");
        assertThat(new String(file, 1_000_000, 3, StandardCharsets.UTF_8)).isEqualTo("xyz");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"9999999\n", "1\n10\n99\n", "1\n-5\n3\n", "2\n50\n3\n10\n3\n", "1\n0\n", "99999999999999999999"})
    void mapsOfHolesThatDoNotFitAreRefused(String map) throws IOException {
        sparse((map + "\0".repeat(512 - map.length()) + "abc").getBytes(StandardCharsets.UTF_8), 100);
        assertThatThrownBy(this::unpack).isInstanceOf(IOException.class);
        assertThat(target.resolve("holes")).doesNotExist();
    }

    @Test
    void anArchiveThatBreaksOffIsAnErrorAndLeavesNoHalfFile() throws IOException {
        file("whole", "x".repeat(2000));
        byte[] all = bytes.toByteArray();
        for (int length : new int[] {10, 512, 600, 1500, 2512}) {
            assertThatThrownBy(() -> Unpacker.unpack(new ByteArrayInputStream(all, 0, length), target))
                    .hasMessageContaining("breaks off");
        }
        assertThat(target).isEmptyDirectory();
    }

    /** Whatever bytes come: an error or an end, and nothing outside is touched. */
    @Test
    void damageIsNeverMoreThanAnError() throws IOException {
        folder("a");
        file("a/" + "n".repeat(120), "content");
        link(TarEntry.Kind.LINK, "b", "a");
        archive.end();
        byte[] good = bytes.toByteArray();
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < 500; round++) {
            byte[] bad = good.clone();
            for (int i = 0; i < 1 + random.nextInt(4); i++) {
                bad[random.nextInt(bad.length)] = (byte) random.nextInt();
            }
            try {
                Unpacker.unpack(new ByteArrayInputStream(bad), target);
            } catch (IOException e) {
                assertThat(e.getMessage()).as("seed %d", seed).isNotEmpty();
            }
        }
        try (var left = Files.list(folder)) {
            assertThat(left).containsExactlyInAnyOrder(target, outside);
        }
        assertThat(outside).hasContent("untouched");
    }

    private Copied unpack() throws IOException {
        archive.end();
        return Unpacker.unpack(new ByteArrayInputStream(bytes.toByteArray()), target);
    }

    private void file(String name, String content) throws IOException {
        byte[] text = content.getBytes(StandardCharsets.UTF_8);
        archive.begin(new TarEntry(name, TarEntry.Kind.FILE, text.length, 0644, TIME, "", null));
        bytes.write(text);
        archive.endContent(text.length);
    }

    private void folder(String name) throws IOException {
        archive.begin(new TarEntry(name, TarEntry.Kind.FOLDER, 0, 0755, TIME, "", null));
    }

    private void link(TarEntry.Kind kind, String name, String leadsTo) throws IOException {
        archive.begin(new TarEntry(name, kind, 0, 0777, TIME, leadsTo, null));
    }

    /** An entry in GNU's format for files with holes, for which our writer has no use. */
    private void sparse(byte[] content, long size) throws IOException {
        String records = record("GNU.sparse.major=1")
                + record("GNU.sparse.minor=0")
                + record("GNU.sparse.name=holes")
                + record("GNU.sparse.realsize=" + size);
        byte[] text = records.getBytes(StandardCharsets.UTF_8);
        archive.begin(new TarEntry("pax", TarEntry.Kind.FILE, text.length, 0644, whole(), "", null));
        bytes.write(text);
        archive.endContent(text.length);
        byte[] all = bytes.toByteArray();
        // The head of the file that was just written becomes one of records, with its sum.
        all[156] = 'x';
        long sum = Long.parseLong(new String(all, 148, 6, StandardCharsets.US_ASCII), 8) + 'x' - '0';
        byte[] digits = String.format(java.util.Locale.ROOT, "%06o", sum).getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(digits, 0, all, 148, 6);
        bytes.reset();
        bytes.write(all);
        archive.begin(
                new TarEntry("GNUSparseFile.0/holes", TarEntry.Kind.FILE, content.length, 0644, whole(), "", null));
        bytes.write(content);
        archive.endContent(content.length);
    }

    private static Instant whole() {
        return Instant.ofEpochSecond(1_000_000_000);
    }

    private static String record(String text) {
        int length = text.length() + 2;
        int digits =
                Integer.toString(length + Integer.toString(length).length()).length();
        return (length + digits) + " " + text + "\n";
    }
}
