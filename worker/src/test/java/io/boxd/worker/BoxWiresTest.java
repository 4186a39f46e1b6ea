package io.boxd.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.network.TestingHost;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Boxes on their wires: whoever calls one that sleeps gets his answer, a little later. */
@Tag("machine")
class BoxWiresTest {
    private static final int PORT = 8080;
    /** What a slow service takes, longer than many timers. */
    private static final Duration ANSWERS_AFTER = Duration.ofSeconds(WorkerHouse.LONG ? 90 : 1);

    private TestingHost host;
    private TestingBoxes house;

    @BeforeEach
    void open() {
        host = TestingHost.open();
        house = TestingBoxes.open(host.home(), TestingHost.REGISTRY, () -> host.open(2));
    }

    @AfterEach
    void close() {
        try {
            house.close();
        } finally {
            host.close();
        }
    }

    private static String get(String address) throws Exception {
        URI uri = URI.create("http://" + address + ":" + PORT + "/name");
        try (HttpClient client =
                HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(60)).build()) {
            HttpRequest request =
                    HttpRequest.newBuilder(uri).timeout(Duration.ofSeconds(60)).build();
            HttpResponse<InputStream> response = client.send(request, HttpResponse.BodyHandlers.ofInputStream());
            try (InputStream body = response.body()) {
                return new String(body.readAllBytes(), StandardCharsets.UTF_8).strip();
            }
        }
    }

    /** In standby, hibernated, after a rollback and a restart, and under the next server: at one address. */
    @Test
    void aCallerWakesItAtTheAddressThatItAlwaysHad() throws Exception {
        house.create("one");
        house.sh("one", "mkdir -p /tmp/www; echo here > /tmp/www/name; httpd -p " + PORT + " -h /tmp/www");
        String address = house.boxes().find("one").address().orElseThrow();
        assertThat(get(address)).isEqualTo("here");
        house.move("one", Move.PAUSE);
        assertThat(get(address)).isEqualTo("here");
        house.awaitStatus("one", Status.RUNNING);
        for (int i = 0; i < 3; i++) {
            house.move("one", Move.HIBERNATE);
            assertThat(house.boxes().find("one").address()).contains(address);
            assertThat(get(address)).isEqualTo("here");
            awaitWokenByAPacket();
        }
        house.move("one", Move.HIBERNATE);
        house.reopen();
        assertThat(house.boxes().find("one").address()).contains(address);
        assertThat(get(address)).as("under the next server").isEqualTo("here");
        house.move("one", Move.PAUSE);
        house.reopen();
        assertThat(get(address)).as("from standby, under the next server").isEqualTo("here");
    }

    /** The guest answers as soon as it runs, which may be before its server has noted that it does. */
    private void awaitWokenByAPacket() {
        TestingBoxes.await(
                "being woken by a packet",
                () -> house.boxes().why("one").because().contains("a packet came"));
    }

    /** A connection that the box itself has opened: what comes over it wakes the box, and is not lost. */
    @Test
    void anAnswerWakesTheBoxThatWaitsForIt() throws Exception {
        house.create("one", new SleepRules(Duration.ofSeconds(1), Duration.ZERO));
        try (ServerSocket world = host.inWorld(() -> {
            ServerSocket socket = new ServerSocket();
            socket.bind(new InetSocketAddress("0.0.0.0", 7000));
            return socket;
        })) {
            String wait = "sleep 100 | nc " + TestingHost.WORLD + " 7000 > /tmp/answer";
            house.sh("one", "(" + wait + ") >/dev/null 2>&1 &");
            try (Socket waiting = world.accept()) {
                house.awaitStatus("one", Status.STANDBY);
                CompletableFuture<Status> answered = CompletableFuture.supplyAsync(
                        () -> {
                            Status before = house.status("one");
                            answer(waiting);
                            return before;
                        },
                        CompletableFuture.delayedExecutor(ANSWERS_AFTER.toSeconds(), TimeUnit.SECONDS));
                assertThat(answered.get(ANSWERS_AFTER.toSeconds() + 60, TimeUnit.SECONDS))
                        .isEqualTo(Status.STANDBY);
                TestingBoxes.await("waking", () -> house.status("one") == Status.RUNNING);
                awaitWokenByAPacket();
                TestingBoxes.await(
                        "the answer", () -> house.sh("one", "cat /tmp/answer").equals("the answer"));
            }
        }
    }

    private static void answer(Socket waiting) {
        try {
            waiting.getOutputStream().write("the answer\n".getBytes(StandardCharsets.UTF_8));
            waiting.getOutputStream().flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sleeping a hundred times must not take a hundred addresses. */
    @Test
    void aBoxDoesNotCollectAddresses() {
        house.create("one");
        int rounds = WorkerHouse.LONG ? 50 : 5;
        for (int i = 0; i < rounds; i++) {
            house.move("one", Move.HIBERNATE);
            house.move("one", Move.WAKE);
        }
        String first = house.boxes().find("one").address().orElseThrow();
        String own = "src " + house.wires().hostAddress().getHostAddress();
        long routed = TestingHost.run("ip", "route")
                .lines()
                .filter(line -> line.contains(host.instance()) && line.contains(own))
                .count();
        assertThat(first).isNotEmpty();
        assertThat(routed).as("routes of one box and a pool of two").isLessThanOrEqualTo(5 + 3);
        List<String> left = house.boxes().destroy(List.of("one"), false, TestingBoxes.soon());
        assertThat(left).hasSize(1);
    }
}
