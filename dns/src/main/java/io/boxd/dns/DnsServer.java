package io.boxd.dns;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Instant;

/** The door: answers for its domain by UDP and TCP until it is closed. */
public final class DnsServer implements AutoCloseable {
    /** How often two free ports of the same number are looked for. */
    private static final int TRIES = 16;

    private final DatagramLoop datagrams;
    private final StreamLoop streams;
    private final int port;

    private DnsServer(DatagramLoop datagrams, StreamLoop streams, int port) {
        this.datagrams = datagrams;
        this.streams = streams;
        this.port = port;
    }

    /** Opens it; from now on it answers. */
    public static DnsServer open(DnsConfig config, Challenges challenges) {
        return open(config, challenges, StreamLimits.USUAL);
    }

    static DnsServer open(DnsConfig config, Challenges challenges, StreamLimits limits) {
        Responder responder =
                new Responder(new Zone(config.zone(), challenges, Instant.now().getEpochSecond()));
        int tries = config.port() == 0 ? TRIES : 1;
        while (true) {
            tries--;
            try {
                return open(config.bind(), config.port(), responder, limits);
            } catch (IOException e) {
                if (tries == 0) {
                    throw new BoxdException(
                            ErrorCode.UNAVAILABLE,
                            "cannot listen for DNS on " + config.bind().getHostAddress() + " port " + config.port()
                                    + ": " + e.getMessage(),
                            "Another program may have it: choose another port (dns_port, BOXD_DNS_PORT), or off.",
                            e);
                }
            }
        }
    }

    private static DnsServer open(InetAddress bind, int port, Responder responder, StreamLimits limits)
            throws IOException {
        ServerSocket listener = new ServerSocket();
        try {
            listener.setReuseAddress(true);
            listener.bind(new InetSocketAddress(bind, port), StreamLoop.BACKLOG);
            DatagramSocket socket = new DatagramSocket(new InetSocketAddress(bind, listener.getLocalPort()));
            DatagramLoop datagrams = new DatagramLoop(socket, responder, new ResponseBudget(System::nanoTime));
            StreamLoop streams = new StreamLoop(listener, responder, limits);
            datagrams.begin();
            streams.begin();
            return new DnsServer(datagrams, streams, listener.getLocalPort());
        } catch (IOException e) {
            listener.close();
            throw e;
        }
    }

    /** Of UDP and of TCP. */
    public int port() {
        return port;
    }

    @Override
    public void close() {
        datagrams.close();
        streams.close();
    }
}
