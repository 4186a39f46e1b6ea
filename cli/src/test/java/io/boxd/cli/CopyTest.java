package io.boxd.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.PlainJson;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Copying between here and boxes. */
@Tag("unit")
final class CopyTest {
    private static final String FILES = " /v1/boxes/b/files";
    private static final String TREE = " /v1/boxes/b/tree";

    @TempDir
    private Path folder;

    private TestingServer server;
    /** What was put into the box, by the query of the request. */
    private final Map<String, byte[]> put = new ConcurrentHashMap<>();

    @BeforeEach
    void start() throws IOException {
        server = new TestingServer();
        server.json("GET /v1/boxes/b", 200, "{\"name\":\"b\"}");
        server.json("GET /v1/boxes/c", 200, "{\"name\":\"c\"}");
        stat("none");
        server.on("PUT" + FILES, (TestingServer.Streaming) this::take);
        server.on("PUT /v1/boxes/c/files", (TestingServer.Streaming) this::take);
        server.on("PUT" + TREE, (TestingServer.Streaming) this::take);
    }

    @AfterEach
    void end() throws IOException {
        server.close();
    }

    private void stat(String type) {
        server.on("GET /v1/boxes/b/stat", (heard, exchange) -> {
            if (type.equals("none")) {
                exchange.error(404, "not_found", "there is no such file");
            } else {
                exchange.json(
                        200,
                        "{\"path\":\"x\",\"type\":\"" + type
                                + "\",\"mode\":\"0750\",\"size\":7,\"modified_at\":\"2024-01-02T03:04:05.5Z\"}");
            }
        });
        server.on("GET /v1/boxes/c/stat", (heard, exchange) -> exchange.error(404, "not_found", "no such file"));
    }

    private void take(TestingServer.Heard heard, TestingExchange exchange) throws IOException {
        byte[] content = exchange.content().readAllBytes();
        put.put(heard.target().substring(heard.target().indexOf('?') + 1), content);
        exchange.json(
                200,
                PlainJson.write(Map.of("bytes", content.length, "sha256", hash(content), "entries", 2, "skipped", 0)));
    }

    private static String hash(byte[] content) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    private Ran cp(String source, String target) {
        return Ran.line(server.environment(), "cp", source, target);
    }

    @Test
    void aFileIsSentWithItsModeAndHash() throws IOException {
        Path file = Files.writeString(folder.resolve("a b"), "content");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-x---"));
        assertThat(cp(file.toString(), "b:work/x")).isEqualTo(new Ran(0, "", ""));
        String hash = hash("content".getBytes(StandardCharsets.UTF_8));
        assertThat(put).containsOnlyKeys("path=work%2Fx&mode=0750&sha256=" + hash);
        stat("folder");
        cp(file.toString(), "b:work");
        assertThat(put).containsKey("path=work%2Fa%20b&mode=0750&sha256=" + hash);
        cp(file.toString(), "b:");
        assertThat(put).containsKey("path=a%20b&mode=0750&sha256=" + hash);
    }

    @Test
    void inputAndOutputCanBeCopied() {
        byte[] large = new byte[300_000];
        Ran in = Ran.withInput(server.environment(), new ByteArrayInputStream(large), "cp", "-", "b:x", "--json");
        assertThat(in.status()).isZero();
        assertThat(in.output()).isEqualTo("{\"bytes\":300000,\"entries\":1,\"skipped\":0}\n");
        assertThat(put.get("path=x")).isEqualTo(large);
        server.on(
                "GET" + FILES,
                (heard, exchange) -> exchange.bytes(200, Map.of(), "from the box".getBytes(StandardCharsets.UTF_8)));
        assertThat(cp("b:x", "-").output()).isEqualTo("from the box");
    }

    @Test
    void whatArrivedDifferentlyIsAnError() {
        server.json("PUT" + FILES, 200, "{\"bytes\":3,\"sha256\":\"00\"}");
        Ran ran = Ran.withInput(server.environment(), new ByteArrayInputStream(new byte[3]), "cp", "-", "b:x");
        assertThat(ran.status()).isEqualTo(1);
        assertThat(ran.errors()).contains("not what was sent");
    }

    @Test
    void aServerThatRefusesBeforeTheEndIsHeard() throws IOException {
        server.on("PUT" + FILES, (TestingServer.Streaming) (heard, exchange) -> {
            exchange.error(403, "permission_denied", "you may not write there");
            exchange.breakOff();
        });
        Path file = Files.write(folder.resolve("large"), new byte[20 << 20]);
        Ran ran = cp(file.toString(), "b:/etc/x");
        assertThat(ran.status()).isEqualTo(5);
        assertThat(ran.errors()).contains("you may not write there");
    }

    @Test
    void aFileComesWithModeAndTimeAndAtOnce() throws IOException {
        stat("file");
        server.on("GET" + FILES, (heard, exchange) -> {
            try (OutputStream chunks = exchange.chunks(Map.of())) {
                chunks.write("content".getBytes(StandardCharsets.UTF_8));
            }
        });
        Path target = Files.writeString(folder.resolve("x"), "old");
        assertThat(cp("b:dir/name", target.toString()).status()).isZero();
        assertThat(target).hasContent("content");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(target)))
                .isEqualTo("rwxr-x---");
        assertThat(Files.getLastModifiedTime(target).toInstant()).isEqualTo(Instant.parse("2024-01-02T03:04:05.5Z"));
        cp("b:dir/name", folder.toString());
        assertThat(folder.resolve("name")).hasContent("content");
        assertThat(folder.toFile().list()).containsExactlyInAnyOrder("x", "name");
    }

    @Test
    void aDownloadThatBreaksOffLeavesTheOldFile() throws IOException {
        stat("file");
        server.on(
                "GET" + FILES, (heard, exchange) -> exchange.raw("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"));
        Path target = Files.writeString(folder.resolve("x"), "old");
        Ran ran = cp("b:name", target.toString());
        assertThat(ran.status()).isEqualTo(7);
        assertThat(target).hasContent("old");
        assertThat(folder.toFile().list()).containsExactly("x");
    }

    @Test
    void foldersGoAsArchivesBothWays() throws IOException {
        Path source = Files.createDirectories(folder.resolve("source/sub"));
        Files.writeString(source.resolve("file"), "content");
        assertThat(cp(folder.resolve("source").toString(), "b:there").status()).isZero();
        byte[] archive = put.get("path=there");
        stat("folder");
        server.on("GET" + TREE, (heard, exchange) -> {
            try (OutputStream chunks = exchange.chunks(Map.of())) {
                chunks.write(archive);
            }
        });
        assertThat(cp("b:there", folder.resolve("copy").toString()).status()).isZero();
        assertThat(folder.resolve("copy/sub/file")).hasContent("content");
        assertThat(folder.toFile().list()).containsExactlyInAnyOrder("source", "copy");
        server.on(
                "GET" + TREE,
                (heard, exchange) ->
                        exchange.raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n200\r\n" + "\0".repeat(10)));
        assertThat(cp("b:there", folder.resolve("half").toString()).status()).isNotZero();
        assertThat(folder.resolve("half")).doesNotExist();
    }

    @Test
    void aHostileArchiveStaysInItsFolder() throws IOException {
        stat("folder");
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        TarWriter archive = new TarWriter(bytes);
        archive.begin(new TarEntry("../evil", TarEntry.Kind.FILE, 0, 0644, Instant.EPOCH, "", null));
        archive.end();
        server.on("GET" + TREE, (heard, exchange) -> exchange.bytes(200, Map.of(), bytes.toByteArray()));
        Ran ran = cp("b:there", folder.resolve("copy").toString());
        assertThat(ran.status()).isEqualTo(7);
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void betweenBoxesNothingIsKeptHere() {
        stat("file");
        server.on(
                "GET" + FILES,
                (heard, exchange) -> exchange.bytes(200, Map.of(), "passing".getBytes(StandardCharsets.UTF_8)));
        assertThat(cp("b:x", "c:y").status()).isZero();
        assertThat(new String(put.get("path=y&mode=0750"), StandardCharsets.UTF_8))
                .isEqualTo("passing");
    }

    @Test
    void whatIsMissingIsNamed() {
        assertThat(cp("b:x", folder.toString()).status()).isEqualTo(3);
        assertThat(cp("nobox:x", folder.toString()).status()).isEqualTo(3);
        Ran here = cp(folder.resolve("gone").toString(), "b:x");
        assertThat(here.status()).isEqualTo(1);
        assertThat(here.errors()).contains("gone is not there");
        assertThat(cp("a", "c").status()).isEqualTo(2);
    }
}
