package io.boxd.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.CountDownLatch;

/** Passes bytes on between a client and a server, and on their way back stops once in the middle. */
final class TestingRelay implements AutoCloseable {
    private final ServerSocket listener = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
    private final int port;
    private final int stopAfter;
    private final CountDownLatch paused;
    private final CountDownLatch goOn;

    /** @param stopAfter how many bytes pass before it stops, says so, and waits */
    TestingRelay(int port, int stopAfter, CountDownLatch paused, CountDownLatch goOn) throws IOException {
        this.port = port;
        this.stopAfter = stopAfter;
        this.paused = paused;
        this.goOn = goOn;
        Thread.ofVirtual().start(this::serve);
    }

    int port() {
        return listener.getLocalPort();
    }

    private void serve() {
        try (Socket client = listener.accept();
                Socket server = new Socket(InetAddress.getLoopbackAddress(), port)) {
            Thread.ofVirtual().start(() -> forth(client, server));
            InputStream input = server.getInputStream();
            OutputStream output = client.getOutputStream();
            int passed = 0;
            for (int next = input.read(); next >= 0; next = input.read()) {
                output.write(next);
                passed++;
                if (passed == stopAfter) {
                    paused.countDown();
                    goOn.await();
                }
            }
        } catch (IOException | InterruptedException e) {
            return; // one of both has left
        }
    }

    private static void forth(Socket client, Socket server) {
        try {
            client.getInputStream().transferTo(server.getOutputStream());
        } catch (IOException e) {
            return; // one of both has left
        }
    }

    @Override
    public void close() throws IOException {
        goOn.countDown();
        listener.close();
    }
}
