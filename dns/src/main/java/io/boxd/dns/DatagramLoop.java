package io.boxd.dns;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.Optional;

/** Answers questions that come by UDP, one after the other: each takes microseconds, and none waits for anything. */
final class DatagramLoop implements AutoCloseable {
    private final DatagramSocket socket;
    private final Responder responder;
    private final ResponseBudget budget;

    DatagramLoop(DatagramSocket socket, Responder responder, ResponseBudget budget) {
        this.socket = socket;
        this.responder = responder;
        this.budget = budget;
    }

    void begin() {
        Thread.ofVirtual().name("dns udp").start(this::run);
    }

    private void run() {
        byte[] buffer = new byte[Responder.LONGEST_QUERY + 1];
        while (!socket.isClosed()) {
            DatagramPacket packet = new DatagramPacket(buffer, buffer.length);
            try {
                socket.receive(packet);
                if (packet.getLength() < buffer.length) {
                    answer(packet);
                }
            } catch (IOException _) {
                // Closed, or an error that an earlier answer met on its way: neither is this question's.
            }
        }
    }

    private void answer(DatagramPacket packet) throws IOException {
        InetSocketAddress asker = (InetSocketAddress) packet.getSocketAddress();
        byte[] query = Arrays.copyOf(packet.getData(), packet.getLength());
        Optional<byte[]> answer = switch (budget.take(asker.getAddress())) {
            case SEND -> responder.answer(query, Transport.UDP);
            case COME_BY_TCP -> responder.comeByTcp(query);
            case DROP -> Optional.empty();
        };
        if (answer.isPresent()) {
            socket.send(new DatagramPacket(answer.get(), answer.get().length, asker));
        }
    }

    @Override
    public void close() {
        socket.close();
    }
}
