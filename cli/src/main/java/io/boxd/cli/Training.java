package io.boxd.cli;

import io.boxd.console.Console;
import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.stream.Stream;

/**
 * Does once what the command mostly does, while the build watches which classes that needs: the cache of them is why
 * the command starts at once. Asks no real server, but one of its own that answers in fixed words.
 */
final class Training {
    private static final String BOX = """
            {"id":"bx_1","name":"task-1","status":"running","status_reason":null,"image":"base",\
            "source":{"image":"base"},\
            "forked_from":null,"created_at":"2026-03-01T00:00:00Z","expires_at":null,"labels":{"k":"v"},"cpus":2,\
            "memory_bytes":8589934592,"disk_bytes":107374182400,\
            "timings":{"create_ms":1,"ready_ms":2.5},"changed":true}""";
    private static final String STARTED = "{\"started\":{\"exec_id\":\"ex_1\",\"offset\":0,\"tty\":false}}";
    private static final String ENDED = "{\"ended\":{\"exit_code\":0,\"signal\":null,\"timed_out\":false}}";

    private Training() {}

    public static void main(String[] words) throws IOException {
        try (ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Thread.ofVirtual().start(() -> answer(listener));
            Map<String, String> environment =
                    Map.of("BOXD_URL", "http://127.0.0.1:" + listener.getLocalPort(), "BOXD_TOKEN", "training");
            // As Main begins.
            boolean known = Consoles.ofProcess().environment().containsKey("BOXD_URL");
            assert !known;
            run(environment, "list");
            run(environment, "list", "--json");
            Path home = Files.createTempDirectory("boxd-training");
            try {
                atHome(home, environment);
                new TlsTraining(home).run(Training::answer, Training::run);
            } finally {
                delete(home);
            }
            run(environment, "info", "task-1");
            run(environment, "new", "--name=task-1", "--memory", "8G", "-e", "A=1");
            run(environment, "pause", "task-1");
            run(environment, "exec", "task-1", "true");
            run(environment, "exec", "task-1", "--json", "--", "true");
            run(environment, "completion", "bash", "--", "exec", "t");
            run(environment, "help", "exec");
            run(environment, "frok");
        }
        traceFailure();
    }

    /** A failure in another thread, which comes or does not, must take no class that the list has not anyway. */
    private static void traceFailure() {
        try {
            throw new IOException(List.of().getFirst().toString());
        } catch (NoSuchElementException | IOException e) {
            int frames = e.getStackTrace().length;
            assert frames > 0;
        }
    }

    /** The server of this machine, and one that is in use. */
    private static void atHome(Path home, Map<String, String> environment) throws IOException {
        String url = String.valueOf(environment.get("BOXD_URL"));
        Files.writeString(home.resolve("server.json"), "{\"url\":\"" + url + "\"}");
        Files.writeString(home.resolve("token"), "training\n");
        run(Map.of("BOXD_HOME", home.toString()), "list");
        Contexts.of(Map.of("HOME", home.toString()))
                .change(known -> known.with(new Context("one", url, "training", null, false))
                        .using("one"));
        run(Map.of("HOME", home.toString()), "list");
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }

    private static void run(Map<String, String> environment, String... line) {
        Console console = new Console(
                environment,
                new ByteArrayInputStream(new byte[] {'x'}),
                OutputStream.nullOutputStream(),
                OutputStream.nullOutputStream(),
                () -> 80,
                Terminal.isAt(0),
                false,
                false);
        new Main(console).run(List.of(line));
    }

    private static void answer(ServerSocket listener) {
        while (!listener.isClosed()) {
            try (Socket socket = listener.accept()) {
                answer(socket);
            } catch (IOException e) {
                // Whoever is trained has gone; the next one comes, or the listener is closed.
            }
        }
    }

    private static void answer(Socket socket) throws IOException {
        InputStream input = new BufferedInputStream(socket.getInputStream());
        OutputStream output = socket.getOutputStream();
        String first = HttpHead.line(input, 4096);
        String key = "";
        for (String line = HttpHead.line(input, 4096); !line.isEmpty(); line = HttpHead.line(input, 4096)) {
            key = line.startsWith("Sec-WebSocket-Key: ") ? line.substring(19) : key;
        }
        if (!key.isEmpty()) {
            output.write(HttpHead.bytes("HTTP/1.1 101 Switching Protocols\r\nSec-WebSocket-Accept: "
                    + WebSocket.accepted(key) + "\r\n\r\n"));
            frame(output, 1, STARTED);
            frame(output, 1, "{\"input_credit\":1000}");
            frame(output, 2, "\u0001output");
            frame(output, 1, ENDED);
        } else {
            String body = first.startsWith("GET /v1/boxes ") ? "[" + BOX + "]" : BOX;
            output.write(HttpHead.bytes("HTTP/1.1 200 OK\r\nContent-Length: " + body.length() + "\r\n\r\n" + body));
        }
        output.flush();
        socket.shutdownOutput();
        long ignored = input.transferTo(OutputStream.nullOutputStream());
        assert ignored >= 0;
    }

    private static void frame(OutputStream output, int kind, String text) throws IOException {
        output.write(0x80 | kind);
        output.write(text.length());
        output.write(HttpHead.bytes(text));
    }
}
