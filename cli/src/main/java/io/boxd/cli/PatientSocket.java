package io.boxd.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A connection whose writes end after a while, too: Java bounds only connecting and reading. */
final class PatientSocket implements AutoCloseable {
    private static final int CONNECT_MILLIS = 5_000;
    private static final long NOT_WRITING = Long.MAX_VALUE;

    private final Socket socket;
    private final Output output;
    private final CountDownLatch closed = new CountDownLatch(1);

    private PatientSocket(Socket socket, Duration patience) throws IOException {
        this.socket = socket;
        this.output = new Output(socket.getOutputStream());
        // No virtual thread: what those need is not there yet when a command has just started.
        Thread.ofPlatform().daemon().name("socket-watch").start(() -> watch(patience));
    }

    /** Connects, or says that there is no server. */
    static PatientSocket connect(ServerAddress address, Duration patience) throws IOException {
        Socket socket = new Socket();
        try {
            socket.setTcpNoDelay(true);
            socket.connect(new InetSocketAddress(address.host(), address.port()), CONNECT_MILLIS);
            socket.setSoTimeout(Math.toIntExact(patience.toMillis()));
            return new PatientSocket(socket, patience);
        } catch (ConnectException e) {
            socket.close();
            throw ServerAddress.notRunning(address.source(), e);
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    InputStream input() throws IOException {
        return socket.getInputStream();
    }

    OutputStream output() {
        return output;
    }

    void readTimeout(Duration timeout) throws IOException {
        socket.setSoTimeout(Math.toIntExact(timeout.toMillis()));
    }

    private void watch(Duration patience) {
        try {
            while (!closed.await(1, TimeUnit.SECONDS)) {
                if (System.nanoTime() - output.since > patience.toNanos() && output.since != NOT_WRITING) {
                    close();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        closed.countDown();
        try {
            socket.close();
        } catch (IOException e) {
            // It is gone either way.
            return;
        }
    }

    /** Notes when a write began. */
    private static final class Output extends OutputStream {
        private final OutputStream target;
        private volatile long since = NOT_WRITING;

        Output(OutputStream target) {
            this.target = target;
        }

        @Override
        public void write(int value) throws IOException {
            write(new byte[] {(byte) value}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            since = System.nanoTime();
            try {
                target.write(bytes, offset, length);
            } catch (IOException e) {
                throw new RefusedContentException(e);
            } finally {
                since = NOT_WRITING;
            }
        }
    }
}
