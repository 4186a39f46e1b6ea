package io.boxd.network;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.function.BiFunction;
import java.util.function.Predicate;

/**
 * Answers the machines' DNS queries by asking the host's resolvers.
 *
 * <p>One for an instance. Who asks is told by the source address, which is the wire's: it cannot be
 * forged, since both the wire's namespace and the host drop packets whose source is not that of the
 * wire they came over. Answers are passed on unread, private addresses included: a packet to such an
 * address is refused whatever name led there.
 */
final class Resolver implements AutoCloseable {
    private static final Duration ANSWERING = Duration.ofSeconds(5);
    private static final Duration CONNECTION = Duration.ofSeconds(20);
    private static final int QUERIES_OF_ONE = 64;
    private static final int QUERIES_OF_ALL = 1024;

    private final DatagramSocket datagrams;
    private final ServerSocket streams;
    private final Forwarder forwarder;
    private final Predicate<InetAddress> isMachine;
    private final Semaphore ofAll = new Semaphore(QUERIES_OF_ALL);
    private final Map<InetAddress, Semaphore> ofEach = new ConcurrentHashMap<>();

    private Resolver(
            DatagramSocket datagrams, ServerSocket streams, Forwarder forwarder, Predicate<InetAddress> isMachine) {
        this.datagrams = datagrams;
        this.streams = streams;
        this.forwarder = forwarder;
        this.isMachine = isMachine;
    }

    static Resolver open(InetAddress address, int port, Upstreams upstreams, Predicate<InetAddress> isMachine) {
        try {
            ServerSocket streams = new ServerSocket();
            streams.bind(new InetSocketAddress(address, port), 64);
            Resolver resolver = new Resolver(
                    new DatagramSocket(new InetSocketAddress(address, port)),
                    streams,
                    new Forwarder(upstreams),
                    isMachine);
            Thread.ofVirtual().name("resolver udp").start(resolver::receive);
            Thread.ofVirtual().name("resolver tcp").start(resolver::accept);
            return resolver;
        } catch (IOException e) {
            throw new BoxdException(
                    ErrorCode.UNAVAILABLE,
                    "cannot listen for DNS queries on " + address.getHostAddress() + " port " + port,
                    "Another program may have this port on all addresses: configure another one.",
                    e);
        }
    }

    private void receive() {
        byte[] buffer = new byte[DnsMessage.LONGEST_QUERY + 1];
        while (!datagrams.isClosed()) {
            DatagramPacket packet = new DatagramPacket(buffer, buffer.length);
            try {
                datagrams.receive(packet);
            } catch (IOException _) {
                // Closed, or an error that an earlier answer met on its way: neither is this query's.
                continue;
            }
            byte[] query = Arrays.copyOf(packet.getData(), packet.getLength());
            InetSocketAddress asker = (InetSocketAddress) packet.getSocketAddress();
            if (query.length <= DnsMessage.LONGEST_QUERY && isMachine.test(asker.getAddress())) {
                limited(asker.getAddress(), () -> answer(query, asker));
            }
        }
    }

    private void answer(byte[] query, InetSocketAddress asker) {
        answer(query, forwarder::overUdp).ifPresent(answer -> {
            try {
                datagrams.send(new DatagramPacket(answer, answer.length, asker));
            } catch (IOException _) {
                // The machine is gone, or we are.
            }
        });
    }

    /** Empty for what is no query at all. */
    private static Optional<byte[]> answer(byte[] query, BiFunction<DnsMessage, Deadline, Optional<byte[]>> ask) {
        if (!DnsMessage.isQuery(query)) {
            return Optional.empty();
        }
        if (!DnsMessage.isStandardQuery(query)) {
            return Optional.of(DnsMessage.error(query, DnsMessage.NOT_IMPLEMENTED));
        }
        Optional<DnsMessage> parsed = DnsMessage.parse(query);
        if (parsed.isEmpty()) {
            return Optional.of(DnsMessage.error(query, DnsMessage.FORMAT_ERROR));
        }
        try {
            return Optional.of(ask.apply(parsed.get(), Deadline.in(ANSWERING))
                    .orElseGet(() -> DnsMessage.error(query, DnsMessage.SERVER_FAILURE)));
        } catch (BoxdException e) {
            System.getLogger(Resolver.class.getName())
                    .log(System.Logger.Level.WARNING, "no resolver to ask: " + e.getMessage());
            return Optional.of(DnsMessage.error(query, DnsMessage.SERVER_FAILURE));
        }
    }

    private void accept() {
        while (!streams.isClosed()) {
            try {
                Socket connection = streams.accept();
                if (!isMachine.test(connection.getInetAddress())
                        || !limited(connection.getInetAddress(), () -> serve(connection))) {
                    connection.close();
                }
            } catch (IOException _) {
                // Closed, or a connection that ended before it began.
            }
        }
    }

    private void serve(Socket connection) {
        Deadline deadline = Deadline.in(CONNECTION);
        try (connection) {
            DataInputStream in = new DataInputStream(connection.getInputStream());
            DataOutputStream out = new DataOutputStream(connection.getOutputStream());
            while (!deadline.passed()) {
                DnsStream.limit(connection, deadline);
                byte[] query = DnsStream.read(in, DnsMessage.LONGEST_QUERY);
                Optional<byte[]> answer = answer(query, forwarder::overTcp);
                if (answer.isEmpty()) {
                    return;
                }
                DnsStream.write(out, answer.get());
            }
        } catch (IOException _) {
            // The machine has hung up, sent nonsense or nothing: the connection is over.
        }
    }

    /** Does the work on a thread of its own, unless this machine or all of them have too much of it. */
    private boolean limited(InetAddress asker, Runnable work) {
        Semaphore ofOne = ofEach.computeIfAbsent(asker, key -> new Semaphore(QUERIES_OF_ONE));
        if (!ofOne.tryAcquire()) {
            return false;
        }
        if (!ofAll.tryAcquire()) {
            ofOne.release();
            return false;
        }
        Thread.ofVirtual().name("resolver query").start(() -> {
            try {
                work.run();
            } finally {
                ofAll.release();
                ofOne.release();
            }
        });
        return true;
    }

    /** Where it listens, if it was left to the kernel to choose. */
    int tcpPort() {
        return streams.getLocalPort();
    }

    @Override
    public void close() {
        datagrams.close();
        try {
            streams.close();
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.INTERNAL, "cannot stop the resolver", e);
        }
    }
}
