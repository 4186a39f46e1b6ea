package io.boxd.worker;

import io.boxd.common.Deadline;
import io.boxd.vmm.Machine;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** A page that a machine serves over its wire: its own name. */
final class NamePage {
    static final int PORT = 8080;

    private static final String SERVE =
            "mkdir -p /tmp/www; hostname > /tmp/www/name; httpd -p " + PORT + " -h /tmp/www";
    private static final int PATIENCE_MILLIS = 20_000;

    private NamePage() {}

    static void serve(Machine machine) {
        WorkerHouse.sh(machine, SERVE);
    }

    /** For a fork, which has its source's server and page. */
    static void rename(Machine machine) {
        WorkerHouse.sh(machine, "hostname > /tmp/www/name");
    }

    /** What whoever is at this address says that its name is. */
    static String get(Inet4Address address) throws IOException {
        Deadline deadline = Deadline.inMillis(PATIENCE_MILLIS);
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(address, PORT), PATIENCE_MILLIS);
            socket.setSoTimeout((int) Math.max(1, deadline.leftMillis()));
            socket.getOutputStream().write("GET /name HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (!answer.startsWith("HTTP/1.0 200") && !answer.startsWith("HTTP/1.1 200")) {
                throw new IOException("no page but: " + answer);
            }
            return answer.substring(answer.indexOf("\r\n\r\n")).strip();
        }
    }
}
