package io.boxd.network;

import io.boxd.common.Deadline;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;

/**
 * Asks the upstream resolvers one after the other, each time under a fresh id and from a fresh port.
 *
 * <p>Only an answer from the one that was asked, under that id and to that question, is believed.
 */
final class Forwarder {
    private static final Duration PATIENCE = Duration.ofMillis(1500);
    private static final int ROUNDS = 2;
    private static final int LONGEST_DATAGRAM = 4096;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final Upstreams upstreams;

    Forwarder(Upstreams upstreams) {
        this.upstreams = upstreams;
    }

    /** The way in which a query is carried. */
    private interface Carrier {
        Optional<byte[]> ask(InetSocketAddress server, DnsMessage query, Deadline deadline) throws IOException;
    }

    Optional<byte[]> overUdp(DnsMessage query, Deadline deadline) {
        return ask(Forwarder::datagram, query, deadline);
    }

    Optional<byte[]> overTcp(DnsMessage query, Deadline deadline) {
        return ask(Forwarder::stream, query, deadline);
    }

    private Optional<byte[]> ask(Carrier carrier, DnsMessage query, Deadline deadline) {
        for (int round = 0; round < ROUNDS; round++) {
            for (InetSocketAddress server : upstreams.servers()) {
                if (deadline.passed()) {
                    return Optional.empty();
                }
                try {
                    Optional<byte[]> answer = carrier.ask(server, query, deadline.orSooner(PATIENCE));
                    if (answer.isPresent()) {
                        return answer;
                    }
                } catch (IOException _) {
                    // This one is silent, unreachable or confused: the next may not be.
                }
            }
        }
        return Optional.empty();
    }

    private static Optional<byte[]> datagram(InetSocketAddress server, DnsMessage query, Deadline deadline)
            throws IOException {
        int id = RANDOM.nextInt(1 << 16);
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.connect(server);
            byte[] asked = query.withId(id);
            socket.send(new DatagramPacket(asked, asked.length));
            DatagramPacket packet = new DatagramPacket(new byte[LONGEST_DATAGRAM], LONGEST_DATAGRAM);
            while (!deadline.passed()) {
                socket.setSoTimeout((int) Math.max(1, deadline.leftMillis()));
                packet.setLength(LONGEST_DATAGRAM);
                socket.receive(packet);
                Optional<byte[]> answer = checked(Arrays.copyOf(packet.getData(), packet.getLength()), query, id);
                if (answer.isPresent()) {
                    return answer;
                }
            }
            return Optional.empty();
        }
    }

    private static Optional<byte[]> stream(InetSocketAddress server, DnsMessage query, Deadline deadline)
            throws IOException {
        int id = RANDOM.nextInt(1 << 16);
        try (Socket socket = new Socket()) {
            socket.connect(server, (int) Math.max(1, deadline.leftMillis()));
            DnsStream.write(new DataOutputStream(socket.getOutputStream()), query.withId(id));
            DnsStream.limit(socket, deadline);
            byte[] answer = DnsStream.read(new DataInputStream(socket.getInputStream()), DnsStream.LONGEST);
            return checked(answer, query, id);
        }
    }

    private static Optional<byte[]> checked(byte[] bytes, DnsMessage query, int id) {
        return DnsMessage.parse(bytes)
                .filter(answer -> answer.answers(query, id))
                .map(answer -> answer.withId(query.id()));
    }
}
