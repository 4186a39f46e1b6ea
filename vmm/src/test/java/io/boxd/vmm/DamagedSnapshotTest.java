package io.boxd.vmm;

import static io.boxd.vmm.TestHouse.sh;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.linux.Seal;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Snapshots that somebody has meddled with are refused before any process starts, and nothing is lost. */
@Tag("machine")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DamagedSnapshotTest {
    private static final int DAMAGES = TestHouse.LONG ? 200 : 40;
    private static final List<String> PARTS = List.of("memory", "state", "manifest");

    private final TestHouse house = TestHouse.get();
    private final Random random = new Random(20_261_115);
    private final List<Snapshot> made = new java.util.ArrayList<>();

    @BeforeAll
    void make() {
        for (String name : List.of("first", "second")) {
            try (Machine machine = house.start(house.tinyBase())) {
                sh(machine, "echo " + name + " > /data/name; echo " + name + " > /tmp/name; sync");
                made.add(
                        house.engine().snapshot(machine, Deadline.inSeconds(60)).snapshot());
            }
        }
    }

    @AfterAll
    void forget() {
        made.forEach(house.engine()::forget);
    }

    private Path folder(Snapshot snapshot) {
        return house.home().resolve("snapshots").resolve(snapshot.id());
    }

    @Test
    void everyDamageIsRefusedWithAReasonAndMended() throws IOException {
        Snapshot snapshot = made.getFirst();
        for (int i = 0; i < DAMAGES; i++) {
            Path part = folder(snapshot).resolve(PARTS.get(i % PARTS.size()));
            Path copy = part.resolveSibling("copy");
            Files.copy(part, copy);
            String kind = damage(i / PARTS.size() % 5, part);
            assertRefused(snapshot, kind + " of " + part.getFileName());
            Files.move(copy, part, StandardCopyOption.REPLACE_EXISTING);
        }
        assertWhole(snapshot, "first");
    }

    private String damage(int kind, Path part) throws IOException {
        return switch (kind) {
            case 0 -> {
                try (FileChannel file = FileChannel.open(part, StandardOpenOption.WRITE)) {
                    file.truncate(random.nextLong(Files.size(part)));
                }
                yield "truncation";
            }
            case 1 -> {
                long at = random.nextLong(Files.size(part));
                try (FileChannel file = FileChannel.open(part, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                    ByteBuffer one = ByteBuffer.allocate(1);
                    file.read(one, at);
                    one.put(0, (byte) (one.get(0) ^ (1 << random.nextInt(8))));
                    file.write(one.rewind(), at);
                }
                yield "a flipped bit";
            }
            case 2 -> {
                Files.copy(
                        folder(made.getLast()).resolve(part.getFileName()), part, StandardCopyOption.REPLACE_EXISTING);
                yield "another machine's part in place";
            }
            case 3 -> {
                Files.delete(part);
                yield "absence";
            }
            default -> {
                Files.write(part, new byte[] {0}, StandardOpenOption.APPEND);
                yield "a byte too many";
            }
        };
    }

    @Test
    void aManifestOfAnotherInstanceVersionOrMachineIsRefused() throws IOException {
        Snapshot snapshot = made.getFirst();
        Path manifest = folder(snapshot).resolve("manifest");
        byte[] good = Files.readAllBytes(manifest);
        String text = new String(good, StandardCharsets.UTF_8);
        String body = text.substring(text.indexOf('\n') + 1);
        Seal ours = Seal.open(house.engine().config().key());
        Seal foreign = Seal.open(house.home().resolve("foreign-key"));
        try {
            for (byte[] forged : List.of(
                    foreign.seal(body),
                    ours.seal(body.replace("\"format\":1", "\"format\":2")),
                    ours.seal(body.replace("\"devices\":1", "\"devices\":99")),
                    ours.seal(body.replace("\"accelerator\":\"TCG\"", "\"accelerator\":\"KVM\"")),
                    ours.seal(body.replaceAll("\"tsc_kilohertz\":\\d+", "\"tsc_kilohertz\":1000")),
                    ours.seal(body.replace(snapshot.id(), made.getLast().id())),
                    ours.seal(body.replace("\"generation\":1", "\"generation\":7")),
                    body.getBytes(StandardCharsets.UTF_8),
                    new byte[0])) {
                assertThat(new String(forged, StandardCharsets.UTF_8)).isNotEqualTo(text);
                Files.write(manifest, forged);
                assertRefused(snapshot, "a forged manifest");
            }
        } finally {
            Files.write(manifest, good);
            Files.delete(house.home().resolve("foreign-key"));
        }
        assertWhole(snapshot, "first");
    }

    @Test
    void aDamagedDiskLayerOrBaseIsRefused() throws IOException {
        Snapshot snapshot = made.getFirst();
        List<Path> parts = new java.util.ArrayList<>();
        try (var layers = Files.list(house.home().resolve("layers"))) {
            layers.forEach(parts::add);
        }
        parts.add(house.home().resolve("bases").resolve(snapshot.base()).resolve("state"));
        int refused = 0;
        for (Path part : parts) {
            byte[] good = Files.readAllBytes(part);
            byte[] bad = good.clone();
            bad[bad.length / 2] ^= 1;
            Files.write(part, bad);
            try (Machine started = house.engine().start(snapshot, Identity.fresh("other", 1), Deadline.inSeconds(60))) {
                assertThat(started.state()).isEqualTo(Machine.State.RUNNING);
            } catch (BoxdException e) {
                refused++;
                assertThat(e).hasMessageContaining("damaged");
            } finally {
                Files.write(part, good);
            }
        }
        // Its own layer and its base; other layers here belong to others.
        assertThat(refused).isGreaterThanOrEqualTo(2);
        assertWhole(snapshot, "first");
    }

    @Test
    void redControlWithoutTheChecksWrongMemoryIsServed() throws IOException {
        Path home = Files.createTempDirectory("boxd-test-");
        EngineConfig config =
                TestHouse.config(home, house.engine().config().cache(), TestHouse.release("boxd-launcher"));
        Safeguards careless = new Safeguards(Safeguards.all().renewalSteps(), false, true);
        try (Engine engine = Engine.open(
                config, new TransientRecord(), Uplinks.none(), Accelerator.TCG, careless, Deadline.inSeconds(60))) {
            Base base = engine.base(house.tiny(), house.tinyBase().size(), line -> {}, Deadline.inSeconds(300));
            Snapshot snapshot;
            try (Machine machine = engine.start(base, Identity.fresh("victim", 1), Deadline.inSeconds(60))) {
                sh(machine, "echo the-right-words > /tmp/words");
                snapshot = engine.snapshot(machine, Deadline.inSeconds(60)).snapshot();
            }
            Path memory = home.resolve("snapshots").resolve(snapshot.id()).resolve("memory");
            byte[] bytes = Files.readAllBytes(memory);
            byte[] right = "the-right-words\n".getBytes(StandardCharsets.UTF_8);
            byte[] wrong = "the-wrong-words\n".getBytes(StandardCharsets.UTF_8);
            int replaced = 0;
            for (int at = indexOf(bytes, right, 0); at >= 0; at = indexOf(bytes, right, at + 1)) {
                System.arraycopy(wrong, 0, bytes, at, wrong.length);
                replaced++;
            }
            assertThat(replaced).isPositive();
            Files.write(memory, bytes);
            try (Machine started = engine.start(snapshot, Identity.fresh("other", 1), Deadline.inSeconds(60))) {
                assertThat(sh(started, "cat /tmp/words")).isEqualTo("the-wrong-words");
            }
            engine.forget(snapshot);
        } finally {
            TestHouse.deleteHome(home);
        }
    }

    private static int indexOf(byte[] text, byte[] word, int from) {
        for (int at = from; at <= text.length - word.length; at++) {
            int same = 0;
            while (same < word.length && text[at + same] == word[same]) {
                same++;
            }
            if (same == word.length) {
                return at;
            }
        }
        return -1;
    }

    private void assertRefused(Snapshot snapshot, String damage) {
        int cells = cells();
        assertThatThrownBy(() -> house.engine().start(snapshot, Identity.fresh("other", 1), Deadline.inSeconds(60)))
                .as(damage)
                .isInstanceOfSatisfying(BoxdException.class, e -> {
                    assertThat(e.code()).isIn(ErrorCode.WRONG_STATE, ErrorCode.INVALID_ARGUMENT);
                    assertThat(e).hasMessageContaining("cannot be");
                    assertThat(e.hint()).isNotNull();
                });
        assertThat(cells()).isEqualTo(cells);
    }

    private int cells() {
        String[] names = house.engine().config().cells().toFile().list();
        return names == null ? 0 : names.length;
    }

    private void assertWhole(Snapshot snapshot, String name) {
        try (Machine machine = house.engine().start(snapshot, Identity.fresh("whole", 1), Deadline.inSeconds(60))) {
            assertThat(sh(machine, "cat /data/name /tmp/name")).isEqualTo(name + "\n" + name);
        }
    }
}
