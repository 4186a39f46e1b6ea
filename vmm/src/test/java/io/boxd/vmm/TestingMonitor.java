package io.boxd.vmm;

import io.boxd.common.Json;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import tools.jackson.databind.JsonNode;

/**
 * A monitor on a unix socket that says what the test tells it to say.
 *
 * <p>It greets and answers {@code qmp_capabilities} by itself; every other command goes to the script.
 */
final class TestingMonitor implements AutoCloseable {
    static final String GREETING = "{\"QMP\":{\"version\":{},\"capabilities\":[]}}\n";

    private final Path socket;
    private final ServerSocketChannel server;
    private final BlockingQueue<JsonNode> received = new LinkedBlockingQueue<>();
    private final CompletableFuture<SocketChannel> client = new CompletableFuture<>();

    private TestingMonitor(Path socket, String greeting, BiConsumer<TestingMonitor, JsonNode> script)
            throws IOException {
        this.socket = socket;
        server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        server.bind(UnixDomainSocketAddress.of(socket));
        Thread.ofVirtual().start(() -> serve(greeting, script));
    }

    /** Answers every command with an empty object. */
    static TestingMonitor obliging(Path folder) throws IOException {
        return scripted(folder, (monitor, command) -> monitor.answer(command, "{}"));
    }

    /** Accepts commands and never answers one. */
    static TestingMonitor silent(Path folder) throws IOException {
        return scripted(folder, (monitor, command) -> {});
    }

    static TestingMonitor scripted(Path folder, BiConsumer<TestingMonitor, JsonNode> script) throws IOException {
        return new TestingMonitor(folder.resolve("qmp.sock"), GREETING, (monitor, command) -> {
            if (command.path("execute").asString("").equals("qmp_capabilities")) {
                monitor.answer(command, "{}");
            } else {
                script.accept(monitor, command);
            }
        });
    }

    static TestingMonitor greetingWith(Path folder, String greeting) throws IOException {
        return new TestingMonitor(folder.resolve("qmp.sock"), greeting, (monitor, command) -> {});
    }

    Path socket() {
        return socket;
    }

    void answer(JsonNode command, String result) {
        say("{\"return\":" + result + ",\"id\":" + command.path("id") + "}\n");
    }

    void refuse(JsonNode command, String reason) {
        var error = Json.object();
        error.putObject("error").put("class", "GenericError").put("desc", reason);
        error.set("id", command.path("id"));
        say(Json.write(error) + "\n");
    }

    void say(String text) {
        ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
        synchronized (client) {
            try {
                while (bytes.hasRemaining()) {
                    client.join().write(bytes);
                }
            } catch (IOException e) {
                // The client hung up, as it should on what it cannot read.
                return;
            }
        }
    }

    /** The next command that came, other than the negotiation. */
    JsonNode nextCommand() throws InterruptedException {
        JsonNode command = received.poll(10, TimeUnit.SECONDS);
        if (command == null) {
            throw new AssertionError("no command came");
        }
        return command;
    }

    /** Ends the connection, as a process that dies does. */
    void hangUp() throws IOException {
        client.join().close();
    }

    private void serve(String greeting, BiConsumer<TestingMonitor, JsonNode> script) {
        try (SocketChannel channel = server.accept()) {
            client.complete(channel);
            say(greeting);
            LineReader lines = new LineReader(channel, 1 << 20);
            for (String line = lines.next(); line != null; line = lines.next()) {
                JsonNode command = Json.parse(line);
                if (!command.path("execute").asString("").equals("qmp_capabilities")) {
                    received.add(command);
                }
                script.accept(this, command);
            }
        } catch (IOException e) {
            // Hung up by either side.
            return;
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        if (client.isDone()) {
            client.join().close();
        }
    }
}
