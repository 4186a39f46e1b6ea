package io.boxd.trials;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.chronicle.TestingReceiver;
import io.boxd.common.Deadline;
import io.boxd.common.Json;
import io.boxd.linux.Command;
import io.boxd.linux.HostTraces;
import io.boxd.linux.SmallDisk;
import io.boxd.trials.Api.Request;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/**
 * The real server killed at any moment under eight clients that write down what it acknowledges: nothing of it is lost,
 * nothing is done twice, nothing is left over, no box notices, and whoever follows events misses none.
 *
 * <p>What it has decided is on a disk of its own, whose power is cut at every other kill: what was not synced is gone.
 */
@Tag("machine")
class KilledApiTest {
    private static final System.Logger LOG = System.getLogger(KilledApiTest.class.getName());
    private static final int CLIENTS = 8;
    private static final int KILLS = Instance.LONG ? 200 : 3;
    private static final int MEMORIES_EVERY = 20;
    private static final int ENOUGH = 4 * CLIENTS;
    private static final int LONGEST_LIFE_MILLIS = 2500;
    private static final long DISK_BYTES = 192L << 20;

    private final long seed = System.nanoTime();
    private final Random random = new Random(seed);
    private Instance instance;
    private SmallDisk disk;
    private KillableServer server;
    private Api api;
    private EventFollower follower;
    private TestingReceiver receiver;
    private JsonNode hook;
    private Crowd crowd;

    @BeforeEach
    void up() throws Exception {
        instance = Instance.tiny(Map.of("BOXD_WEBHOOKS_ALLOW_PRIVATE", "true"));
        disk = new SmallDisk(DISK_BYTES);
        Files.createDirectories(instance.home());
        Files.createSymbolicLink(instance.home().resolve("state"), disk.path());
        server = new KillableServer(instance, "");
        api = new Api(Files.readString(instance.home().resolve("token")).strip());
        JsonNode events = api.must(server.url(), Request.get("/events"));
        follower = new EventFollower(api, events.path("cursor").asLong());
        receiver = new TestingReceiver();
        hook = api.must(server.url(), Request.post("/webhooks", Map.of("url", receiver.url())));
        crowd = new Crowd(CLIENTS, random, api, server.url());
    }

    @AfterEach
    void close() throws IOException {
        crowd.close();
        follower.close();
        receiver.close();
        api.close();
        if (!instance.type("./boxd up").succeeded()) {
            instance.must("./boxd state restore && ./boxd up");
        }
        instance.json("./boxd snapshot list --json")
                .forEach(kept ->
                        instance.must("./boxd snapshot rm " + kept.path("id").asString()));
        instance.close();
        disk.close();
    }

    @Test
    void whatWasAcknowledgedHolds() throws Exception {
        for (int kill = 1; kill <= KILLS; kill++) {
            life();
            kill(random.nextBoolean());
            server.again("");
            StateCheck check = check().records();
            if (kill % MEMORIES_EVERY == 0) {
                check.memories().orphans();
            }
            assertThat(check.violations()).as("seed %s, kill %s", seed, kill).isEmpty();
        }
        follower.admit(server.url());
        crowd.end(server.url());
        assertThat(check().records().memories().orphans().violations())
                .as("seed %s", seed)
                .isEmpty();
        everythingWasTold();
        LOG.log(
                System.Logger.Level.INFO,
                "seed {0}: {1} acknowledged, {2} said again",
                seed,
                crowd.acknowledged(),
                crowd.repeated());
        assertThat(crowd.acknowledged()).isGreaterThan(KILLS);
        assertThat(crowd.repeated()).as("kills that hit something").isGreaterThan(KILLS);
        nothingIsLeft();
    }

    /** A server that acknowledges what no disk has: the same that must pass above, found out. */
    @Test
    void redControlAServerThatDoesNotWaitForTheDiskIsFoundOut() throws Exception {
        Path forgetful = Instance.REPOSITORY.resolve("target/shared/release/libboxd_forgetful.so");
        server.kill();
        server.again("LD_PRELOAD=" + forgetful + " BOXD_FORGETS=");
        Command.of("sync", "-f", disk.path().toString()).check(Deadline.inSeconds(60));
        admit();
        Instance.await("enough to forget", () -> crowd.acknowledged() > ENOUGH, Deadline.inSeconds(120));
        kill(true);
        assertThat(findings()).as("seed %s", seed).isNotEmpty();
    }

    /** What is wrong with the next server; that there is none is one, too. */
    private List<String> findings() throws IOException, InterruptedException {
        try {
            server.again("");
        } catch (AssertionError e) {
            return List.of(String.valueOf(e.getMessage()));
        }
        return check().records().violations();
    }

    /** Whoever followed, and whoever was told, knows of each event; the one in order, the other at least once. */
    private void everythingWasTold() throws IOException, InterruptedException {
        long last = api.must(server.url(), Request.get("/events?limit=1"))
                .path("cursor")
                .asLong();
        List<JsonNode> followed = follower.until(last);
        assertThat(followed).noneMatch(event -> event.path("kind").asString().equals("gap"));
        assertNumbersIn(followed, false);
        Instance.await(
                "the last event",
                () -> received().stream()
                        .anyMatch(event -> event.path("sequence").asLong() >= last),
                Deadline.inSeconds(120));
        assertThat(receiver.received())
                .allMatch(one -> one.isSignedWith(hook.path("secret").asString()));
        assertNumbersIn(received(), true);
    }

    private List<JsonNode> received() {
        return receiver.received().stream().map(one -> Json.parse(one.body())).toList();
    }

    /** One after the other, none missing. */
    private void assertNumbersIn(List<JsonNode> events, boolean someMayComeTwice) {
        List<Long> numbers =
                events.stream().map(event -> event.path("sequence").asLong()).toList();
        List<Long> once = numbers.stream().distinct().toList();
        assertThat(once)
                .as("seed %s", seed)
                .isEqualTo(LongStream.rangeClosed(once.getFirst(), once.getLast())
                        .boxed()
                        .toList());
        assertThat(numbers.size() - once.size()).isBetween(0, someMayComeTwice ? KILLS : 0);
    }

    private void admit() throws IOException {
        follower.admit(server.url());
        crowd.admit(server.url());
    }

    private void life() throws InterruptedException, IOException {
        admit();
        // The one use of time that is meant: a moment that nobody has chosen.
        TimeUnit.MILLISECONDS.sleep(200 + random.nextInt(LONGEST_LIFE_MILLIS));
    }

    private void kill(boolean powerGoes) throws InterruptedException {
        crowd.shutOut();
        follower.shutOut();
        server.kill();
        if (powerGoes) {
            disk.cutPower();
            disk.unmount();
            disk.mount();
        }
        crowd.awaitOutside();
    }

    private StateCheck check() throws IOException {
        return new StateCheck(instance, api, server.url(), crowd.clients());
    }

    /** When nobody wants anything any more, nothing is there. */
    private void nothingIsLeft() throws Exception {
        instance.json("./boxd snapshot list --json")
                .forEach(kept ->
                        instance.must("./boxd snapshot rm " + kept.path("id").asString()));
        instance.destroyAll();
        instance.must("./boxd down --boxes");
        instance.awaitNoProcess();
        for (String folder : List.of("cells", "layers", "snapshots")) {
            assertThat(StateCheck.entries(instance.home().resolve(folder)))
                    .as(folder)
                    .isZero();
        }
        Instance.await(
                "the end of all traces", () -> HostTraces.of(instance.home()).isEmpty(), Deadline.inSeconds(20));
    }
}
