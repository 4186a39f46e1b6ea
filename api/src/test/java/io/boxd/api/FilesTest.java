package io.boxd.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.Deadline;
import io.boxd.common.Json;
import io.boxd.linux.Command;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Files in and out, with the real agent. */
@Tag("host")
class FilesTest {
    private final TestingDoor door = new TestingDoor();

    @TempDir
    private Path folder;

    @BeforeEach
    void open() {
        door.house().boxes().add("a");
    }

    @AfterEach
    void close() {
        door.close();
    }

    private HttpRequest.Builder at(String noun, Path path, String more) {
        return door.request("/v1/boxes/a/" + noun + "?path=" + URLEncoder.encode(path.toString(), UTF_8) + more);
    }

    @Test
    void aFileGoesInAndComesOutTheSame() throws Exception {
        byte[] content = new byte[5 << 20];
        new java.util.Random(1).nextBytes(content);
        Path file = folder.resolve("new/deep/ü.bin");
        HttpResponse<String> written = door.send(
                at("files", file, "&mode=0640")
                        .PUT(BodyPublishers.ofByteArray(content))
                        .build(),
                BodyHandlers.ofString());
        assertThat(written.statusCode()).isEqualTo(200);
        JsonNode answer = Json.parse(written.body());
        String hash =
                HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
        assertThat(answer.path("bytes").asLong()).isEqualTo(content.length);
        assertThat(answer.path("sha256").asString()).isEqualTo(hash);
        assertThat(Files.readAllBytes(file)).isEqualTo(content);
        HttpResponse<byte[]> read = door.send(at("files", file, "").build(), BodyHandlers.ofByteArray());
        assertThat(read.body()).isEqualTo(content);
        assertThat(read.headers().firstValue("X-Boxd-Mode")).contains("0640");
        assertThat(read.headers().firstValueAsLong("Content-Length")).hasValue(content.length);
        HttpResponse<byte[]> part =
                door.send(at("files", file, "").header("Range", "bytes=10-19").build(), BodyHandlers.ofByteArray());
        assertThat(part.statusCode()).isEqualTo(206);
        assertThat(part.body()).isEqualTo(java.util.Arrays.copyOfRange(content, 10, 20));
        assertThat(part.headers().firstValue("Content-Range")).contains("bytes 10-19/" + content.length);
        JsonNode stat = Json.parse(
                door.send(at("stat", file, "").build(), BodyHandlers.ofString()).body());
        assertThat(stat.path("type").asString()).isEqualTo("file");
        assertThat(stat.path("mode").asString()).isEqualTo("0640");
        assertThat(stat.path("size").asLong()).isEqualTo(content.length);
        assertThat(door.house().boxes().openHolds()).isZero();
    }

    @Test
    void aWrongHashOrABrokenUploadLeavesTheFileAsItWas() throws Exception {
        Path file = Files.writeString(folder.resolve("file"), "before");
        HttpResponse<String> refused = door.send(
                at("files", file, "&sha256=" + "00".repeat(32))
                        .PUT(BodyPublishers.ofString("after"))
                        .build(),
                BodyHandlers.ofString());
        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(file).hasContent("before");
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), door.port())) {
            OutputStream out = socket.getOutputStream();
            out.write(("PUT /v1/boxes/a/files?path=" + file + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
                            + TestingDoor.SECRET + "\r\nContent-Length: 1000\r\n\r\nhalf of it")
                    .getBytes(UTF_8));
            out.flush();
            Deadline deadline = Deadline.inSeconds(20);
            while (door.house().boxes().openHolds() == 0) {
                assertThat(deadline.passed()).isFalse();
                Thread.onSpinWait();
            }
        }
        Deadline deadline = Deadline.inSeconds(20);
        while (door.house().boxes().openHolds() > 0) {
            assertThat(deadline.passed()).isFalse();
            Thread.onSpinWait();
        }
        assertThat(file).hasContent("before");
        try (var names = Files.list(folder)) {
            assertThat(names).containsExactly(file);
        }
    }

    @Test
    void whatIsNotThereIsNotFound() throws IOException {
        for (String noun : new String[] {"files", "stat", "tree"}) {
            HttpResponse<String> answer =
                    door.send(at(noun, folder.resolve("none"), "").build(), BodyHandlers.ofString());
            assertThat(answer.statusCode()).as(noun).isEqualTo(404);
        }
        assertThat(door.send(at("files", folder, "").build(), BodyHandlers.ofString())
                        .statusCode())
                .isIn(400, 409);
    }

    @Test
    void anEmptyFileIsAFile() throws IOException {
        Path file = Files.createFile(folder.resolve("empty"));
        HttpResponse<byte[]> read = door.send(at("files", file, "").build(), BodyHandlers.ofByteArray());
        assertThat(read.statusCode()).isEqualTo(200);
        assertThat(read.body()).isEmpty();
    }

    @Test
    void foldersTravelAsArchives() throws Exception {
        Path source = folder.resolve("source");
        Files.createDirectories(source.resolve("sub"));
        Files.writeString(source.resolve("one"), "1");
        Files.writeString(source.resolve("sub/two"), "22");
        Files.createSymbolicLink(source.resolve("link"), Path.of("one"));
        Path archive = folder.resolve("source.tar");
        HttpResponse<Path> packed = door.send(at("tree", source, "").build(), BodyHandlers.ofFile(archive));
        assertThat(packed.statusCode()).isEqualTo(200);
        assertThat(packed.headers().firstValue("Content-Type")).contains("application/x-tar");
        String names = Command.of("tar", "-tf", archive.toString())
                .check(Deadline.inSeconds(20))
                .output();
        assertThat(names).contains("one").contains("sub/two").contains("link");
        Path target = folder.resolve("target");
        HttpResponse<String> unpacked = door.send(
                at("tree", target, "").PUT(BodyPublishers.ofFile(archive)).build(), BodyHandlers.ofString());
        assertThat(unpacked.statusCode()).as(unpacked.body()).isEqualTo(200);
        assertThat(Json.parse(unpacked.body()).path("bytes").asLong()).isEqualTo(3);
        assertThat(target.resolve("sub/two")).hasContent("22");
        assertThat(Files.readSymbolicLink(target.resolve("link"))).isEqualTo(Path.of("one"));
    }

    @Test
    void aFileTravelsAsAnArchiveToo() throws Exception {
        Path file = Files.writeString(folder.resolve("single"), "content");
        HttpResponse<InputStream> packed = door.send(at("tree", file, "").build(), BodyHandlers.ofInputStream());
        assertThat(packed.statusCode()).isEqualTo(200);
        Path archive = folder.resolve("single.tar");
        try (InputStream in = packed.body()) {
            Files.copy(in, archive);
        }
        assertThat(Command.of("tar", "-tf", archive.toString())
                        .check(Deadline.inSeconds(20))
                        .output()
                        .strip())
                .isEqualTo("single");
    }

    @Test
    void relativePathsAreBelowTheHome() throws IOException {
        Path file = Files.createTempFile("boxd-relative", "");
        try {
            HttpResponse<String> stat = door.send(
                    door.request("/v1/boxes/a/stat?path=" + file.getFileName()).build(), BodyHandlers.ofString());
            assertThat(Json.parse(stat.body()).path("path").asString()).isEqualTo(file.toString());
        } finally {
            Files.delete(file);
        }
    }
}
