package io.boxd.guest;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.Deadline;
import io.boxd.linux.EmptyHome;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The real agent as a plain process of this host, connected through a unix socket. */
final class TestingAgent implements AutoCloseable {
    private final Path folder;
    private final Path socket;
    private final ServerSocketChannel server;
    private final Process process;

    private TestingAgent(Path folder, Path binary, @Nullable Path root, Path output) throws IOException {
        this.folder = folder;
        this.socket = folder.resolve("agent.sock");
        this.server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        server.bind(UnixDomainSocketAddress.of(socket));
        List<String> command = new ArrayList<>(List.of(binary.toString(), "--port", socket.toString()));
        command.addAll(
                List.of("--output", output.toString(), "--local", busySocket().toString()));
        if (root != null) {
            command.addAll(List.of("--root", root.toString()));
        }
        this.process = new ProcessBuilder(EmptyHome.around(command, folder))
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("agent.log").toFile())
                .start();
    }

    static TestingAgent start() throws IOException {
        Path folder = Files.createTempDirectory("boxd-agent");
        return new TestingAgent(folder, binary(), null, folder.resolve("output"));
    }

    /** An agent that keeps output in this folder. */
    static TestingAgent startWithOutput(Path output) throws IOException {
        return new TestingAgent(Files.createTempDirectory("boxd-agent"), binary(), null, output);
    }

    /** An agent whose renewals change the files below this folder. */
    static TestingAgent startWithRoot(Path root) throws IOException {
        Path folder = Files.createTempDirectory("boxd-agent");
        return new TestingAgent(folder, binary(), root, folder.resolve("output"));
    }

    /** An agent that unpacks archives without looking where they lead, and whose lines outlive their session. */
    static TestingAgent startUnprotected() throws IOException {
        Path binary = Path.of("..", "target", "red", "trial", "boxd-agent").toAbsolutePath();
        assertThat(binary)
                .as("the agent without its protections, which ./dev build makes")
                .isExecutable();
        Path folder = Files.createTempDirectory("boxd-agent");
        return new TestingAgent(folder, binary.normalize(), null, folder.resolve("output"));
    }

    /** The compiled agent; a test that cannot find it must fail, or it would prove nothing. */
    static Path binary() {
        String named = System.getProperty("boxd.agent");
        Path binary = named == null ? Path.of("..", "target", "release", "boxd-agent") : Path.of(named);
        assertThat(binary).as("the agent, built by: cargo build --release").isExecutable();
        return binary.toAbsolutePath().normalize();
    }

    /** The agent connects by itself, again and again. */
    SocketChannel accept() throws IOException {
        return server.accept();
    }

    AgentConnection connect() throws IOException {
        return AgentConnection.open(accept(), Deadline.inSeconds(10));
    }

    /** Where programs say that they are busy. */
    Path busySocket() {
        return folder.resolve("busy.sock");
    }

    Process process() {
        return process;
    }

    @Override
    public void close() throws IOException {
        server.close();
        Files.deleteIfExists(socket);
        process.destroyForcibly();
        try {
            assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        Files.deleteIfExists(folder.resolve("agent.log"));
        Files.deleteIfExists(folder.resolve("output"));
        Files.deleteIfExists(busySocket());
        EmptyHome.remove(folder);
        Files.deleteIfExists(folder);
    }
}
