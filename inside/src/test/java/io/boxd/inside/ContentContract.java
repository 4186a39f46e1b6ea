package io.boxd.inside;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.control.BoxConnection;
import io.boxd.control.BoxFiles;
import io.boxd.control.BoxListener;
import io.boxd.control.BoxProgram;
import io.boxd.control.DialOrder;
import io.boxd.control.ListenOrder;
import io.boxd.control.TestingControl;
import io.boxd.guest.ExitStatus;
import io.boxd.guest.ReadOptions;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** What every control promises doors of bytes that pass through: programs, connections, files. */
@Tag("host")
abstract class ContentContract extends ControlHouse {
    @Test
    void aProgramsBytesPassThrough() throws Exception {
        byte[] sent = random(3_000_000);
        try (BoxProgram program =
                control().program(ada(), TestingControl.object("{'box':'a','script':'cat; echo bad >&2; exit 3'}"))) {
            CompletableFuture<Void> typing = CompletableFuture.runAsync(() -> type(program, sent));
            assertThat(Arrays.equals(program.output().readAllBytes(), sent)).isTrue();
            typing.get(30, TimeUnit.SECONDS);
            assertThat(new String(program.errors().readAllBytes(), UTF_8)).isEqualTo("bad\n");
            assertThat(program.await(soon())).isEqualTo(new ExitStatus.Exited(3));
        }
        awaitNoHold();
        try (BoxProgram program =
                control().program(ada(), TestingControl.object("{'box':'a','argv':['sleep','300']}"))) {
            assertThat(failure(() -> program.await(Deadline.inMillis(50))).code())
                    .isEqualTo(ErrorCode.TIMEOUT);
            program.signal("KILL");
            assertThat(program.await(soon())).isEqualTo(new ExitStatus.Killed(9, false));
        }
        assertThat(failure(() -> control().program(ada(), TestingControl.object("{'box':'a','files':true,'tty':true}")))
                        .code())
                .isEqualTo(ErrorCode.INVALID_ARGUMENT);
    }

    private static void type(BoxProgram program, byte[] bytes) {
        try (OutputStream input = program.input()) {
            input.write(bytes);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Out of a box and into it, each direction by itself. */
    @Test
    void connectionsPassThrough() throws Exception {
        ListenOrder order = new ListenOrder("a", new ListenOrder.Place.Port("localhost", 0), Optional.empty());
        try (BoxListener listener = control().listen(ada(), order)) {
            assertThat(listener.accept(Deadline.inMillis(50))).isEmpty();
            DialOrder there = new DialOrder(
                    "a",
                    new DialOrder.Target.Port("localhost", listener.port()),
                    Duration.ofSeconds(20),
                    Optional.empty());
            byte[] sent = random(1_000_000);
            try (BoxConnection out = control().dial(ada(), there);
                    BoxConnection in = listener.accept(soon()).orElseThrow().connection()) {
                CompletableFuture<byte[]> got = CompletableFuture.supplyAsync(() -> readAll(in));
                out.output().write(sent);
                out.output().close();
                assertThat(Arrays.equals(got.get(30, TimeUnit.SECONDS), sent)).isTrue();
                in.output().write("answer".getBytes(UTF_8));
                in.output().close();
                assertThat(new String(readAll(out), UTF_8)).isEqualTo("answer");
            }
        }
        awaitNoHold();
    }

    private static byte[] readAll(BoxConnection connection) {
        try {
            return connection.input().readAllBytes();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    BoxFiles.Place place(String name) {
        return new BoxFiles.Place("a", folder.resolve(name).toString(), Optional.empty());
    }

    private static BoxFiles.Writing plainly() {
        return new BoxFiles.Writing(Optional.of("0640"), Optional.empty());
    }

    @Test
    void filesGoInAndOut() throws IOException {
        BoxFiles files = control().files(ada());
        byte[] content = random(2_000_000);
        JsonNode written = files.write(place("in/file"), plainly(), new ByteArrayInputStream(content));
        assertThat(written.path("bytes").asLong()).isEqualTo(content.length);
        assertThat(Files.readAllBytes(folder.resolve("in/file"))).isEqualTo(content);
        assertThat(files.stat(place("in/file")))
                .hasToString(house.control().files(ada()).stat(place("in/file")).toString());
        try (BoxFiles.FileContent part =
                files.read(place("in/file"), ReadOptions.all().withRange(1000, 70_000))) {
            assertThat(part.attributes().size()).isEqualTo(content.length);
            assertThat(part.attributes().mode()).isEqualTo(0640);
            assertThat(part.content().readAllBytes()).isEqualTo(Arrays.copyOfRange(content, 1000, 71_000));
        }
        byte[] archive;
        try (BoxFiles.Download packed = files.pack(place("in"))) {
            archive = packed.content().readAllBytes();
        }
        Files.createDirectory(folder.resolve("out"));
        assertThat(files.unpack(place("out"), new ByteArrayInputStream(archive))
                        .path("bytes")
                        .asLong())
                .isEqualTo(content.length);
        assertThat(failure(() -> files.stat(place("none"))).code()).isEqualTo(ErrorCode.NOT_FOUND);
        assertThat(failure(() -> files.read(place("none"), ReadOptions.all())).code())
                .isEqualTo(ErrorCode.NOT_FOUND);
        awaitNoHold();
    }

    /** Content that breaks off, as when a client leaves. */
    private static final class BreakingInput extends InputStream {
        private int left;

        BreakingInput(int left) {
            this.left = left;
        }

        @Override
        public int read() throws IOException {
            return read(new byte[1], 0, 1);
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            if (left == 0) {
                throw new IOException("the client has left");
            }
            int count = Math.min(left, length);
            left -= count;
            return count;
        }
    }

    @Test
    void aFileIsWrittenWholeOrNotAtAll() throws IOException {
        BoxFiles files = control().files(ada());
        InputStream broken = new BreakingInput(500_000);
        assertThat(failure(() -> files.write(place("file"), plainly(), broken)).code())
                .isEqualTo(ErrorCode.UNAVAILABLE);
        BoxFiles.Writing wrong = new BoxFiles.Writing(Optional.empty(), Optional.of("00".repeat(32)));
        assertThatThrownBy(() -> files.write(place("file"), wrong, new ByteArrayInputStream(random(1_000_000))))
                .isInstanceOf(BoxdException.class);
        awaitNoHold();
        assertThat(folder.resolve("file")).doesNotExist();
    }

    @Test
    void whoBreaksOffADownloadHoldsNothing() throws IOException {
        Files.write(folder.resolve("large"), random(8_000_000));
        try (BoxFiles.FileContent content = control().files(ada()).read(place("large"), ReadOptions.all())) {
            assertThat(content.content().readNBytes(10)).hasSize(10);
        }
        awaitNoHold();
    }
}
