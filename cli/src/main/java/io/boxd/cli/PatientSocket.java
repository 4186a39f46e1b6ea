package io.boxd.cli;

import io.boxd.common.Deadline;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A connection on which nothing takes forever: Java bounds only connecting and reading. */
final class PatientSocket implements AutoCloseable {
    private static final Duration CONNECTING = Duration.ofSeconds(5);
    private static final Duration GREETING = Duration.ofSeconds(10);

    /** What the bytes go through. */
    private final Socket transport;
    /** What is spoken over it: itself, or TLS. */
    private Socket spoken;

    private final Duration patience;
    private final CountDownLatch closed = new CountDownLatch(1);
    /** When to give up what is being done, if that is something that Java would wait for. */
    private volatile @Nullable Deadline due;

    private PatientSocket(Socket transport, Duration patience) {
        this.patience = patience;
        this.transport = transport;
        this.spoken = transport;
        // No virtual thread: what those need is not there yet when a command has just started.
        Thread.ofPlatform().daemon().name("socket-watch").start(this::watch);
    }

    /** Connects, or says why there is no way to the server. */
    static PatientSocket connect(ServerAddress address, Duration patience) throws IOException {
        Duration connecting = patience.compareTo(CONNECTING) < 0 ? patience : CONNECTING;
        Socket socket = new Socket();
        try {
            socket.setTcpNoDelay(true);
            InetAddress host = InetAddress.getByName(address.url().host());
            address.requireSafe(host);
            socket.connect(new InetSocketAddress(host, address.url().port()), Math.toIntExact(connecting.toMillis()));
        } catch (IOException e) {
            socket.close();
            throw Unreachable.because(address, e, connecting);
        } catch (RuntimeException e) {
            socket.close();
            throw e;
        }
        PatientSocket connection = new PatientSocket(socket, patience);
        try {
            if (address.url().secure()) {
                connection.encrypt(address, patience.compareTo(GREETING) < 0 ? patience : GREETING);
            }
            connection.readTimeout(patience);
            return connection;
        } catch (IOException | RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    private void encrypt(ServerAddress address, Duration most) throws IOException {
        readTimeout(most);
        Deadline deadline = Deadline.in(most);
        due = deadline;
        try {
            spoken = Tls.over(transport, address);
        } catch (IOException e) {
            IOException reason = deadline.passed() ? new SocketTimeoutException("too slow") : e;
            throw Unreachable.because(address, reason, most);
        } finally {
            due = null;
        }
    }

    InputStream input() throws IOException {
        return spoken.getInputStream();
    }

    OutputStream output() throws IOException {
        return new Output(spoken.getOutputStream());
    }

    void readTimeout(Duration timeout) throws IOException {
        spoken.setSoTimeout(Math.toIntExact(timeout.toMillis()));
    }

    private void watch() {
        try {
            while (!closed.await(1, TimeUnit.SECONDS)) {
                Deadline current = due;
                if (current != null && current.passed()) {
                    close();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** At once: TLS would first wait for whoever is writing, to say goodbye. */
    @Override
    public void close() {
        closed.countDown();
        try {
            transport.close();
        } catch (IOException e) {
            // It is gone either way.
            return;
        }
    }

    /** Each write has its time. */
    private final class Output extends OutputStream {
        private final OutputStream target;

        Output(OutputStream target) {
            this.target = target;
        }

        @Override
        public void write(int value) throws IOException {
            write(new byte[] {(byte) value}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            due = Deadline.in(patience);
            try {
                target.write(bytes, offset, length);
            } catch (IOException e) {
                throw new RefusedContentException(e);
            } finally {
                due = null;
            }
        }
    }
}
