package io.boxd.bench;

import io.boxd.common.Deadline;
import io.boxd.linux.FileOwner;
import io.boxd.network.Wires;
import io.boxd.vmm.Base;
import io.boxd.vmm.Engine;
import io.boxd.vmm.Identity;
import io.boxd.vmm.Machine;
import io.boxd.vmm.MachineSize;
import io.boxd.vmm.TransientRecord;
import io.boxd.worker.MachineWires;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * What a machine's wire costs: an HTTP request from the host to a machine, beside the same to the host itself.
 *
 * <p>On an engine of its own: all other figures are those of machines without a network. Both ends of the
 * comparison run the same program, busybox, which forks for each request and closes the connection.
 */
final class WireFigures {
    private static final int REQUESTS = 200;
    private static final int WARM_UP = 20;
    private static final int PORT = 8080;
    private static final int TIMEOUT_MILLIS = 30_000;
    private static final MachineSize SIZE = new MachineSize(2, 512 * MachineSize.MIB, 256 * MachineSize.MIB);
    private static final byte[] REQUEST = "GET /page HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final String PAGE = "from a page";

    private final Setup setup;
    private final Report report;

    WireFigures(Setup setup, Report report) {
        this.setup = setup;
        this.report = report;
    }

    void measure() throws IOException {
        System.err.println("HTTP to a machine, and to the host itself");
        Path home = Files.createTempDirectory("boxd-bench-");
        try (Wires wires = Wires.open(setup.wires(home), soon())) {
            MachineWires uplinks = new MachineWires(wires);
            try (Engine engine = Engine.open(
                            setup.config(home),
                            new TransientRecord(),
                            uplinks,
                            setup.engine().host().accelerator(),
                            soon());
                    Machine machine = start(engine)) {
                Setup.run(
                        machine,
                        "mkdir /tmp/www; echo '" + PAGE + "' > /tmp/www/page; httpd -p " + PORT
                                + " -h /tmp/www; echo serves");
                Samples toMachine = new Samples();
                Samples toHost = new Samples();
                Path pages = Files.createDirectory(home.resolve("www"));
                Files.writeString(pages.resolve("page"), PAGE + "\n");
                measure(new InetSocketAddress(uplinks.of(machine).address(), PORT), pages, toMachine, toHost);
                report.median("http_round_trip_ms", toMachine, "host to machine and back, a connection for each");
                report.median("http_loopback_ms", toHost, "the same to the same program on the host");
            }
        } finally {
            FileOwner.deleteTree(home);
        }
    }

    private Machine start(Engine engine) {
        Base base = engine.base(setup.tiny(), SIZE, System.err::println, soon());
        return engine.start(base, Identity.fresh("bench", 1), soon());
    }

    /** Taking turns, so that whatever else the host does meets both. */
    private static void measure(InetSocketAddress machine, Path pages, Samples toMachine, Samples toHost)
            throws IOException {
        InetSocketAddress local = freeLocalPort();
        Process server = new ProcessBuilder(
                        "busybox",
                        "httpd",
                        "-f",
                        "-p",
                        local.getAddress().getHostAddress() + ":" + local.getPort(),
                        "-h",
                        pages.toString())
                .inheritIO()
                .start();
        try {
            awaitListening(local);
            for (int i = -WARM_UP; i < REQUESTS; i++) {
                Duration far = request(machine);
                Duration near = request(local);
                if (i >= 0) {
                    toMachine.add(far);
                    toHost.add(near);
                }
            }
        } finally {
            server.destroyForcibly();
        }
    }

    private static InetSocketAddress freeLocalPort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.ofLiteral("127.0.0.1"))) {
            return new InetSocketAddress(socket.getInetAddress(), socket.getLocalPort());
        }
    }

    private static void awaitListening(InetSocketAddress address) throws IOException {
        Deadline deadline = Deadline.inSeconds(10);
        while (true) {
            try {
                var _ = request(address);
                return;
            } catch (IOException e) {
                if (deadline.passed()) {
                    throw e;
                }
                LockSupport.parkNanos(5_000_000);
            }
        }
    }

    /** From before the connection to the end of the answer. */
    private static Duration request(InetSocketAddress address) throws IOException {
        long start = System.nanoTime();
        try (Socket socket = new Socket()) {
            socket.connect(address, TIMEOUT_MILLIS);
            socket.setSoTimeout(TIMEOUT_MILLIS);
            socket.getOutputStream().write(REQUEST);
            InputStream in = socket.getInputStream();
            String answer = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            Duration took = Duration.ofNanos(System.nanoTime() - start);
            if (!answer.contains(" 200 ") || !answer.strip().endsWith(PAGE)) {
                throw new IOException(address + " answered: " + answer);
            }
            return took;
        }
    }

    private static Deadline soon() {
        return Deadline.in(Duration.ofMinutes(3));
    }
}
