package io.boxd.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whatever a visitor sends, a box sees only requests that the door has written. */
@Tag("unit")
final class SmugglingTest {
    private static final int FEWEST_CASES = 250;
    private static final int LONGEST_WAIT_MILLIS = 10_000;

    private TestingHouse house;

    @BeforeEach
    void open() {
        house = new TestingHouse();
        house.house().boxes().add("one");
    }

    @AfterEach
    void close() {
        house.close();
    }

    /** Opens a backend. */
    private interface Opening {
        TestingBackend open() throws Exception;
    }

    @Test
    void jettySeesNoHiddenRequests() throws Exception {
        assertThat(hidden(JettyBackend::new)).isEmpty();
    }

    @Test
    void javasOwnServerSeesNoHiddenRequests() throws Exception {
        assertThat(hidden(JdkBackend::new)).isEmpty();
    }

    @Test
    void pythonSeesNoHiddenRequests() throws Exception {
        assertThat(hidden(PythonBackend::new)).isEmpty();
    }

    @Test
    void theMostCarelessSeeNoHiddenRequests() throws Exception {
        assertThat(hidden(() -> new SloppyBackend(true))).isEmpty();
        assertThat(hidden(() -> new SloppyBackend(false))).isEmpty();
    }

    /** Red control: the same corpus through a door that copies what it gets. */
    @Test
    void aDoorThatCopiesIsNoticed() throws Exception {
        try (TestingBackend backend = new SloppyBackend(true);
                NaiveDoor door = new NaiveDoor(backend.port())) {
            for (byte[] attack : SmugglingCorpus.of("x").values()) {
                send(door.port(), attack);
            }
            assertThat(backend.seen().stream().filter(seen -> !seen.stamped())).hasSizeGreaterThan(10);
        }
    }

    /** What a backend took for a request and the door had not sent, and visitors who got what was not theirs. */
    private List<String> hidden(Opening opening) throws Exception {
        List<String> found = new ArrayList<>();
        try (TestingBackend backend = opening.open()) {
            String host = house.host("one", backend.port());
            Map<String, byte[]> corpus = SmugglingCorpus.of(host);
            assertThat(corpus).hasSizeGreaterThan(FEWEST_CASES);
            int looked = 0;
            for (var attack : corpus.entrySet()) {
                send(house.port(), attack.getValue());
                String answer = send(
                        house.port(),
                        ("GET /victim HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n")
                                .getBytes(StandardCharsets.ISO_8859_1));
                if (!answer.endsWith("/victim")) {
                    found.add("the victim of '" + attack.getKey() + "' got " + answer);
                }
                List<TestingBackend.Seen> seen = List.copyOf(backend.seen());
                seen.subList(looked, seen.size()).stream()
                        .filter(one -> !one.stamped())
                        .forEach(one -> found.add("'" + attack.getKey() + "' has hidden " + one.path()));
                looked = seen.size();
            }
        }
        return found;
    }

    /** Everything that comes back to these bytes. */
    private static String send(int port, byte[] bytes) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(LONGEST_WAIT_MILLIS);
            socket.getOutputStream().write(bytes);
            socket.shutdownOutput();
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        } catch (SocketTimeoutException | SocketException e) {
            return String.valueOf(e.getMessage());
        }
    }
}
