package io.boxd.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.Deadline;
import io.boxd.guest.AgentConnection;
import io.boxd.linux.Command;
import io.boxd.linux.EmptyHome;
import io.boxd.linux.FileOwner;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The real agent as a process of this host: what runs in it runs here, so tests say only harmless things. */
final class AgentProcess implements AutoCloseable {
    private final Path folder;
    private final ServerSocketChannel server;
    private final Process process;
    private @Nullable AgentConnection connection;

    private AgentProcess() throws IOException {
        folder = Files.createTempDirectory("boxd-testing");
        Path socket = folder.resolve("agent.sock");
        server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        server.bind(UnixDomainSocketAddress.of(socket));
        Path binary = Path.of("..", "target", "release", "boxd-agent").toAbsolutePath();
        assertThat(binary).as("the agent, built by: cargo build --release").isExecutable();
        List<String> command = List.of(
                binary.toString(),
                "--port",
                socket.toString(),
                "--output",
                folder.resolve("output").toString(),
                "--local",
                folder.resolve("busy.sock").toString());
        process = new ProcessBuilder(EmptyHome.around(command, folder))
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("agent.log").toFile())
                .start();
    }

    static AgentProcess start() {
        try {
            return new AgentProcess();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The connection of now; a new one if the former is closed. */
    synchronized AgentConnection connect() {
        AgentConnection present = connection;
        if (present != null && present.isOpen()) {
            return present;
        }
        try {
            AgentConnection fresh = AgentConnection.open(server.accept(), Deadline.inSeconds(20));
            connection = fresh;
            return fresh;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** As when a machine is put on disk: nobody talks to it any more. */
    synchronized void disconnect() {
        if (connection != null) {
            connection.close();
        }
    }

    /** The agent stands still, and with it everything that it passes on. */
    void freeze() {
        Command.of("kill", "-STOP", String.valueOf(process.pid())).check(Deadline.inSeconds(10));
    }

    void thaw() {
        Command.of("kill", "-CONT", String.valueOf(process.pid())).check(Deadline.inSeconds(10));
    }

    @Override
    public void close() {
        disconnect();
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        try {
            server.close();
            process.waitFor(10, TimeUnit.SECONDS);
            FileOwner.deleteTree(folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
