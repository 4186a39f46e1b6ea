package io.boxd.guest;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.Deadline;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A machine's end of the channel that says exactly what a test wants, true or not. */
final class TestingPeer implements AutoCloseable {
    private static final int FRAME_HEAD = Wire.LENGTH_BYTES + Wire.HEADER_BYTES;

    private final SocketChannel host;
    private final SocketChannel machine;
    private byte[] nonce = new byte[0];

    private TestingPeer(SocketChannel host, SocketChannel machine) {
        this.host = host;
        this.machine = machine;
    }

    static TestingPeer create() throws IOException {
        Path folder = Files.createTempDirectory("boxd-peer");
        UnixDomainSocketAddress address = UnixDomainSocketAddress.of(folder.resolve("peer.sock"));
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(address);
            SocketChannel host = SocketChannel.open(address);
            return new TestingPeer(host, server.accept());
        } finally {
            Files.deleteIfExists(address.getPath());
            Files.delete(folder);
        }
    }

    /** The connection under test, whose HELLO this peer answers behind the given stale bytes. */
    AgentConnection connect(byte[] stale) throws Exception {
        CompletableFuture<AgentConnection> opening =
                CompletableFuture.supplyAsync(() -> AgentConnection.open(host, Deadline.inSeconds(10)));
        readHello();
        send(stale);
        send(acknowledgement(Wire.VERSION));
        return get(opening);
    }

    AgentConnection connect() throws Exception {
        return connect(new byte[0]);
    }

    private static AgentConnection get(CompletableFuture<AgentConnection> opening)
            throws InterruptedException, ExecutionException, TimeoutException {
        return opening.get(10, TimeUnit.SECONDS);
    }

    SocketChannel host() {
        return host;
    }

    void readHello() throws IOException {
        assertThat(read(Wire.PREAMBLE_BYTES)).containsOnly(0);
        ByteBuffer hello = ByteBuffer.wrap(read(FRAME_HEAD + Wire.NONCE_BYTES + 2 + Wire.TAG_BYTES));
        nonce = new byte[Wire.NONCE_BYTES];
        hello.get(FRAME_HEAD, nonce);
    }

    byte[] acknowledgement(int version) {
        byte[] payload = new PayloadWriter()
                .bytes(nonce)
                .u16(version)
                .u8(1)
                .u32(0)
                .text("6.1.0", Wire.MAX_FACT_BYTES)
                .text("0.1.0", Wire.MAX_FACT_BYTES)
                .toBytes();
        return frame(Wire.HELLO_ACK, 0, payload);
    }

    byte[] frame(int type, int stream, byte[] payload) {
        return new FrameEncoder(ByteBuffer.wrap(nonce).getInt(0)).frame(type, stream, payload);
    }

    void send(byte[] bytes) throws IOException {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        while (buffer.hasRemaining()) {
            machine.write(buffer);
        }
    }

    void send(int type, int stream, byte[] payload) throws IOException {
        send(frame(type, stream, payload));
    }

    /** The next frame from the host. */
    Frame readFrame() throws IOException {
        ByteBuffer head = ByteBuffer.wrap(read(FRAME_HEAD));
        byte[] rest = read(head.getInt(0) - Wire.HEADER_BYTES);
        ByteBuffer payload = ByteBuffer.wrap(rest, 0, rest.length - Wire.TAG_BYTES);
        return new Frame(Byte.toUnsignedInt(head.get(Wire.LENGTH_BYTES)), head.getInt(Wire.LENGTH_BYTES + 1), payload);
    }

    private byte[] read(int count) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(count);
        while (buffer.hasRemaining()) {
            assertThat(machine.read(buffer)).isPositive();
        }
        return buffer.array();
    }

    @Override
    public void close() throws IOException {
        machine.close();
        host.close();
    }
}
