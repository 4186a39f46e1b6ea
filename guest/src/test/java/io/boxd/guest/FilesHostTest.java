package io.boxd.guest;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Single files of a machine, through the real agent. */
@Tag("host")
class FilesHostTest {
    private static final boolean LONG = Boolean.getBoolean("boxd.test.long");
    private static final int MANY_FILES = LONG ? 10_000 : 300;
    private static final long LARGE_BYTES = LONG ? 4L << 30 : 64L << 20;

    @TempDir
    private Path folder;

    private TestingAgent agent;
    private AgentConnection connection;
    private GuestFiles files;

    @BeforeEach
    void connect() throws IOException {
        agent = TestingAgent.start();
        connection = agent.connect();
        files = connection.files("");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    @AfterEach
    void close() throws IOException {
        connection.close();
        agent.close();
    }

    private static Deadline soon() {
        return Deadline.inSeconds(20);
    }

    private GuestPath path(String name) {
        return GuestPath.of(folder.resolve(name).toString());
    }

    private void write(String name, String content, WriteOptions options) {
        files.write(path(name), new ByteArrayInputStream(content.getBytes(UTF_8)), options, soon());
    }

    private String read(String name, ReadOptions options) throws IOException {
        try (FileDownload download = files.read(path(name), options, soon())) {
            return new String(download.readAllBytes(), UTF_8);
        }
    }

    private static void assertRefused(ThrowingCallable action, ErrorCode code, String message) {
        assertThatThrownBy(action)
                .isInstanceOfSatisfying(
                        BoxdException.class,
                        e -> assertThat(e.code()).as(e.getMessage()).isEqualTo(code))
                .hasMessageContaining(message);
    }

    private List<String> names() throws IOException {
        try (Stream<Path> inside = Files.list(folder)) {
            return inside.map(inner -> inner.getFileName().toString()).sorted().toList();
        }
    }

    /** What is cleaned up after a cancelled request happens a little later. */
    private void awaitNames(String... expected) throws IOException {
        Deadline deadline = soon();
        while (!names().equals(List.of(expected)) && !deadline.passed()) {
            LockSupport.parkNanos(5_000_000);
        }
        assertThat(names()).containsExactly(expected);
    }

    @Test
    void writesAndReads() throws IOException {
        write("a", "hello", WriteOptions.replace().withMode(0640));
        assertThat(Files.readString(folder.resolve("a"))).isEqualTo("hello");
        assertThat(read("a", ReadOptions.all().withHash())).isEqualTo("hello");
        assertThat(read("a", ReadOptions.all().withRange(1, 3))).isEqualTo("ell");
        assertThat(read("a", ReadOptions.all().withRange(9, 3))).isEmpty();
        FileAttributes found = files.stat(path("a"), soon());
        assertThat(found.type()).isEqualTo(FileType.FILE);
        assertThat(found.mode()).isEqualTo(0640);
        assertThat(found.size()).isEqualTo(5);
        assertThat(found.user()).isEqualTo("root");
        assertThat(names()).containsExactly("a");
    }

    @Test
    void replacingKeepsModeAndFollowsLinks() throws IOException {
        write("a", "old", WriteOptions.replace().withMode(0751).withOwner(1, 2));
        Files.createSymbolicLink(folder.resolve("link"), Path.of("a"));
        write("link", "new", WriteOptions.replace());
        assertThat(Files.readString(folder.resolve("a"))).isEqualTo("new");
        assertThat(files.lstat(path("link"), soon()).linkTarget()).isEqualTo(GuestBytes.of("a"));
        FileAttributes found = files.stat(path("a"), soon());
        assertThat(found.mode()).isEqualTo(0751);
        assertThat(List.of(found.uid(), found.gid())).containsExactly(1L, 2L);
    }

    @Test
    void createsNewOnesOnlyIfTheNameIsFree() throws IOException {
        write("a", "first", WriteOptions.createNew());
        assertRefused(() -> write("a", "second", WriteOptions.createNew()), ErrorCode.ALREADY_EXISTS, "exists");
        try (FileUpload slow = files.write(path("b"), WriteOptions.createNew(), soon())) {
            slow.write("slow".getBytes(UTF_8));
            write("b", "quick", WriteOptions.createNew());
            assertRefused(() -> slow.commit(soon()), ErrorCode.ALREADY_EXISTS, "exists");
        }
        assertThat(read("a", ReadOptions.all()) + read("b", ReadOptions.all())).isEqualTo("firstquick");
        awaitNames("a", "b");
    }

    @Test
    void writesInPlace() throws IOException {
        write("a", "0123456789", WriteOptions.replace());
        write("a", "xyz", WriteOptions.at(4));
        write("a", "!", WriteOptions.append());
        assertThat(read("a", ReadOptions.all())).isEqualTo("0123xyz789!");
        write("new/deep/b", "b", WriteOptions.append().withParents());
        assertThat(read("new/deep/b", ReadOptions.all())).isEqualTo("b");
    }

    @Test
    void anInterruptedUploadLeavesTheOldFileAndNothingElse() throws IOException {
        write("a", "old", WriteOptions.replace());
        try (FileUpload upload = files.write(path("a"), WriteOptions.replace(), soon())) {
            upload.write(new byte[1_000_000]);
        }
        awaitNames("a");
        FileUpload abandoned = files.write(path("a"), WriteOptions.replace(), soon());
        abandoned.write(new byte[1_000_000]);
        connection.close();
        connection = agent.connect();
        files = connection.files("");
        awaitNames("a");
        assertThat(read("a", ReadOptions.all())).isEqualTo("old");
        assertThatThrownBy(() -> abandoned.write(new byte[1_000_000])).isInstanceOf(IOException.class);
    }

    @Test
    void aKilledHelperIsToldAndLeavesNothing() throws IOException {
        write("a", "old", WriteOptions.replace());
        try (FileUpload upload = files.write(path("a"), WriteOptions.replace(), soon())) {
            upload.write(new byte[100_000]);
            assertThat(agent.process().children().filter(ProcessHandle::destroyForcibly))
                    .isNotEmpty();
            assertRefused(() -> upload.commit(soon()), ErrorCode.INTERNAL, "the helper that did this has ended");
        }
        assertThat(names()).containsExactly("a");
        assertThat(read("a", ReadOptions.all())).isEqualTo("old");
    }

    @Test
    void aReadThatWaitsCanBeBrokenOff() throws Exception {
        Path pipe = folder.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        Process writer = new ProcessBuilder("sh", "-c", "exec 3<>" + pipe + "; echo open; exec sleep 100").start();
        // A pipe that nobody writes to would be at its end at once.
        assertThat(writer.inputReader().readLine()).isEqualTo("open");
        try {
            try (FileDownload download =
                    files.read(path("pipe"), ReadOptions.all().withSpecial(), soon())) {
                assertThat(agent.process().children()).hasSize(1);
                assertThat(download.attributes().type()).isEqualTo(FileType.PIPE);
            }
            Deadline deadline = soon();
            while (agent.process().children().findAny().isPresent() && !deadline.passed()) {
                LockSupport.parkNanos(5_000_000);
            }
            // The pipe has its writer still: only the breaking off can have ended this.
            assertThat(agent.process().children()).isEmpty();
        } finally {
            writer.destroyForcibly();
        }
    }

    @Test
    void refusesContentWithAnotherHash() throws Exception {
        write("a", "old", WriteOptions.replace());
        byte[] right = MessageDigest.getInstance("SHA-256").digest("new".getBytes(UTF_8));
        byte[] wrong = right.clone();
        wrong[31] ^= 1;
        assertRefused(
                () -> write("a", "new", WriteOptions.replace().withSha256(wrong)),
                ErrorCode.INVALID_ARGUMENT,
                "SHA-256");
        assertThat(read("a", ReadOptions.all())).isEqualTo("old");
        awaitNames("a");
        write("a", "new", WriteOptions.replace().withSha256(right));
        assertThat(read("a", ReadOptions.all())).isEqualTo("new");
    }

    @Test
    void listsLargeFoldersInPages() throws IOException {
        for (int i = 0; i < MANY_FILES; i++) {
            write("f" + i, "content " + i, WriteOptions.createNew());
        }
        List<String> found = new ArrayList<>();
        try (FolderListing listing = files.list(path("."), soon())) {
            List<FolderEntry> page = listing.page(100, soon());
            while (!page.isEmpty()) {
                assertThat(page).hasSizeLessThanOrEqualTo(100);
                page.forEach(entry -> found.add(entry.name().toString()));
                page = listing.page(100, soon());
            }
        }
        assertThat(found)
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(0, MANY_FILES).mapToObj(i -> "f" + i).toList());
        assertThat(read("f7", ReadOptions.all())).isEqualTo("content 7");
    }

    @Test
    void movesLargeFiles() throws Exception {
        MessageDigest sent = MessageDigest.getInstance("SHA-256");
        byte[] chunk = new byte[1 << 20];
        new Random(4).nextBytes(chunk);
        try (FileUpload upload = files.write(path("large"), WriteOptions.replace(), soon())) {
            for (long done = 0; done < LARGE_BYTES; done += chunk.length) {
                chunk[0] = (byte) (done >>> 20);
                sent.update(chunk);
                upload.write(chunk);
            }
            assertThat(upload.commit(Deadline.inSeconds(120))).isEqualTo(LARGE_BYTES);
        }
        assertThat(Files.size(folder.resolve("large"))).isEqualTo(LARGE_BYTES);
        MessageDigest received = MessageDigest.getInstance("SHA-256");
        try (FileDownload download = files.read(path("large"), ReadOptions.all().withHash(), soon())) {
            for (int count = download.read(chunk); count >= 0; count = download.read(chunk)) {
                received.update(chunk, 0, count);
            }
        }
        assertThat(received.digest()).isEqualTo(sent.digest());
    }

    @Test
    void changesNamesAndAttributes() throws IOException {
        files.makeFolder(path("d/e/f"), 0700, true, soon());
        files.makeFolder(path("d/e/f"), null, true, soon());
        assertRefused(
                () -> files.makeFolder(path("d/e/f"), null, false, soon()),
                ErrorCode.ALREADY_EXISTS,
                "make the folder");
        write("d/a", "0123456789", WriteOptions.replace());
        files.rename(path("d/a"), path("d/b"), false, soon());
        write("d/a", "other", WriteOptions.replace());
        assertRefused(() -> files.rename(path("d/a"), path("d/b"), false, soon()), ErrorCode.ALREADY_EXISTS, "rename");
        files.hardLink(path("d/b"), path("d/b2"), soon());
        files.makeLink(GuestBytes.of("../anywhere"), path("d/link"), soon());
        assertThat(files.stat(path("d/b"), soon()).links()).isEqualTo(2);
        assertThat(files.lstat(path("d/link"), soon()).linkTarget()).hasToString("../anywhere");
        Instant moment = Instant.ofEpochSecond(1_234_567_890, 123_456_789);
        AttributeChange change = AttributeChange.none()
                .withMode(04711)
                .withOwner(3, 4)
                .withTimes(null, moment)
                .withSize(4);
        files.change(path("d/b"), change, true, soon());
        FileAttributes found = files.stat(path("d/b2"), soon());
        assertThat(found.mode()).isEqualTo(04711);
        assertThat(List.of(found.uid(), found.gid(), found.size())).containsExactly(3L, 4L, 4L);
        assertThat(found.modified()).isEqualTo(moment);
        files.change(path("d/link"), AttributeChange.none().withOwner(5, 6), false, soon());
        assertThat(files.lstat(path("d/link"), soon()).uid()).isEqualTo(5);
        files.rename(path("d/a"), path("d/b"), true, soon());
        assertThat(read("d/b", ReadOptions.all())).isEqualTo("other");
        assertThat(files.realPath(path("d/./e//../b"), soon())).isEqualTo(path("d/b"));
        assertThat(files.room(path("d"), soon()).blocks()).isPositive();
    }

    @Test
    void removesWhatIsMeantAndNotWhatLinksLeadTo() throws IOException {
        write("keep/a", "kept", WriteOptions.replace().withParents());
        files.makeFolder(path("tree/inner"), null, true, soon());
        write("tree/inner/b", "b", WriteOptions.replace());
        files.makeLink(GuestBytes.of(folder.resolve("keep").toString()), path("tree/link"), soon());
        files.makeLink(GuestBytes.of(folder.resolve("keep").toString()), path("outer"), soon());
        assertRefused(() -> files.remove(path("tree"), Removal.FILE, soon()), ErrorCode.WRONG_STATE, "remove");
        assertRefused(() -> files.remove(path("tree"), Removal.ANY, soon()), ErrorCode.WRONG_STATE, "not empty");
        assertRefused(() -> files.remove(path("keep/a"), Removal.FOLDER, soon()), ErrorCode.NOT_FOUND, "remove");
        files.remove(path("tree"), Removal.TREE, soon());
        files.remove(path("outer"), Removal.TREE, soon());
        assertThat(names()).containsExactly("keep");
        assertThat(read("keep/a", ReadOptions.all())).isEqualTo("kept");
        assertRefused(() -> files.remove(path("tree"), Removal.TREE, soon()), ErrorCode.NOT_FOUND, "No such file");
    }

    @Test
    void namesNeedNotBeText() throws IOException {
        List<byte[]> names = List.of(
                "new\nline".getBytes(UTF_8),
                new byte[] {(byte) 0xff, (byte) 0xfe, 'x'},
                "\033[31mred".getBytes(UTF_8),
                "x".repeat(255).getBytes(UTF_8),
                " .. ".getBytes(UTF_8),
                "-rf *".getBytes(UTF_8));
        for (byte[] name : names) {
            GuestPath path = path("").resolve(GuestBytes.of(name));
            files.write(path, new ByteArrayInputStream(name), WriteOptions.createNew(), soon());
            try (FileDownload download = files.read(path, ReadOptions.all(), soon())) {
                assertThat(download.readAllBytes()).isEqualTo(name);
            }
        }
        try (FolderListing listing = files.list(path(""), soon())) {
            assertThat(listing.page(100, soon()))
                    .extracting(FolderEntry::name)
                    .containsExactlyInAnyOrderElementsOf(
                            names.stream().map(GuestBytes::of).toList());
        }
        assertThat(GuestBytes.of(names.get(2)).toString()).isEqualTo("?[31mred");
        String tooLong = new String(new byte[256], ISO_8859_1).replace('\0', 'y');
        assertRefused(() -> write(tooLong, "", WriteOptions.replace()), ErrorCode.INVALID_ARGUMENT, "too long");
    }

    @Test
    void refusesWhatIsNoFileWithoutHanging() throws Exception {
        assertThat(new ProcessBuilder("mkfifo", folder.resolve("pipe").toString())
                        .start()
                        .waitFor())
                .isZero();
        assertRefused(() -> read("pipe", ReadOptions.all()), ErrorCode.INVALID_ARGUMENT, "not a regular file");
        assertRefused(() -> write("pipe", "x", WriteOptions.at(0)), ErrorCode.INVALID_ARGUMENT, "not a regular file");
        assertRefused(() -> write("pipe", "x", WriteOptions.replace()), ErrorCode.INVALID_ARGUMENT, "not a regular");
        assertRefused(() -> read(".", ReadOptions.all()), ErrorCode.WRONG_STATE, "is a folder");
        assertRefused(() -> read("none", ReadOptions.all()), ErrorCode.NOT_FOUND, "No such file");
        assertThat(read("pipe", ReadOptions.all().withSpecial())).isEmpty();
        GuestPath zeros = GuestPath.of("/dev/zero");
        assertRefused(() -> files.read(zeros, ReadOptions.all(), soon()), ErrorCode.INVALID_ARGUMENT, "regular");
        try (FileDownload endless = files.read(zeros, ReadOptions.all().withSpecial(), soon())) {
            assertThat(endless.readNBytes(3_000_000)).hasSize(3_000_000).containsOnly(0);
        }
        try (FileDownload cut =
                files.read(zeros, ReadOptions.all().withSpecial().withRange(0, 100_000), soon())) {
            assertThat(cut.readAllBytes()).hasSize(100_000);
        }
        try (FileDownload made = files.read(GuestPath.of("/proc/cpuinfo"), ReadOptions.all(), soon())) {
            assertThat(new String(made.readAllBytes(), UTF_8)).contains("processor");
        }
        assertThat(connection.ping(soon()).toMillis()).isLessThan(5000);
    }

    @Test
    void aUserCanDoWhatTheUserCouldAnyway() throws IOException {
        write("secret", "secret", WriteOptions.replace().withMode(0600));
        write("public", "public", WriteOptions.replace().withMode(0644));
        files.makeFolder(path("own"), null, false, soon());
        files.change(path("own"), AttributeChange.none().withOwner(1, 1), true, soon());
        GuestFiles daemon = connection.files("daemon");
        assertRefused(
                () -> daemon.read(path("secret"), ReadOptions.all(), soon()),
                ErrorCode.PERMISSION_DENIED,
                "Permission denied");
        try (FileDownload download = daemon.read(path("public"), ReadOptions.all(), soon())) {
            assertThat(download.readAllBytes()).hasSize(6);
        }
        byte[] content = "x".getBytes(UTF_8);
        assertRefused(
                () -> daemon.write(path("public"), new ByteArrayInputStream(content), WriteOptions.at(0), soon()),
                ErrorCode.PERMISSION_DENIED,
                "Permission denied");
        assertRefused(
                () -> daemon.write(path("public"), new ByteArrayInputStream(content), WriteOptions.replace(), soon()),
                ErrorCode.PERMISSION_DENIED,
                "Permission denied");
        assertRefused(
                () -> daemon.change(path("public"), AttributeChange.none().withMode(0666), true, soon()),
                ErrorCode.PERMISSION_DENIED,
                "not permitted");
        assertRefused(() -> daemon.remove(path("public"), Removal.FILE, soon()), ErrorCode.PERMISSION_DENIED, "denied");
        daemon.write(path("own/a"), new ByteArrayInputStream(content), WriteOptions.replace(), soon());
        assertThat(daemon.stat(path("own/a"), soon()).user()).isEqualTo("daemon");
        assertRefused(
                () -> daemon.change(path("own/a"), AttributeChange.none().withOwner(0, 0), true, soon()),
                ErrorCode.PERMISSION_DENIED,
                "not permitted");
        assertRefused(() -> connection.files("nemo").stat(path("public"), soon()), ErrorCode.NOT_FOUND, "nemo");
    }

    @Test
    void aHelperKeepsNothingOfTheAgent() throws IOException {
        GuestFiles daemon = connection.files("daemon");
        try (FileDownload status = daemon.read(GuestPath.of("/proc/self/status"), ReadOptions.all(), soon())) {
            String text = new String(status.readAllBytes(), UTF_8);
            assertThat(text).contains("Name:\tboxd-helper", "Uid:\t1\t1\t1\t1", "Gid:\t1\t1\t1\t1");
            assertThat(text).contains("CapPrm:\t0000000000000000", "CapEff:\t0000000000000000");
        }
        try (FolderListing listing = daemon.list(GuestPath.of("/proc/self/fd"), soon())) {
            // Its three standard ones, its socket, and the folder that is being listed.
            assertThat(listing.page(100, soon())).hasSize(5);
        }
    }

    @Test
    void manyRequestsAtOnceAreBoundedAndDoNotHoldUpOthers() throws IOException {
        List<FileUpload> uploads = new ArrayList<>();
        try {
            assertRefused(
                    () -> {
                        for (int i = 0; i < 1000; i++) {
                            uploads.add(files.write(path("u" + i), WriteOptions.replace(), soon()));
                        }
                    },
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "tasks at once");
            assertThat(uploads).hasSize(64);
            uploads.getFirst().write("done".getBytes(UTF_8));
            uploads.getFirst().commit(soon());
            assertThat(read("u0", ReadOptions.all())).isEqualTo("done");
        } finally {
            uploads.forEach(FileUpload::close);
        }
        awaitNames("u0");
    }
}
