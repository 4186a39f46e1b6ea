package io.boxd.trials;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.Deadline;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Verbs on the smallest boxes, typed beside the server and elsewhere: what passes, is refused, and how it ends. */
@Tag("machine")
@ParameterizedClass
@EnumSource(Place.class)
class TypedVerbsTest {
    private static final int MEGABYTES = Instance.LONG ? 200 : 4;
    private static final int AT_ONCE = Instance.LONG ? 100 : 8;

    @SuppressWarnings("NullAway.Init")
    private static Instance instance;

    @SuppressWarnings("NullAway.Init")
    private static Seat seat;

    @Parameter
    @SuppressWarnings("NullAway.Init")
    private Place place;

    @BeforeParameterizedClassInvocation
    static void up(Place from) throws IOException {
        instance = Instance.tiny(from.settings());
        instance.must("./boxd up");
        seat = from.at(instance);
    }

    @AfterParameterizedClassInvocation
    static void close() throws IOException {
        Place.leave(seat);
        instance.close();
    }

    @AfterEach
    void destroy() {
        seat.destroyAll();
    }

    @Test
    void statusesAndStreamsPassThrough() {
        assertThat(seat.must("id -u").equals("0\n")).isEqualTo(place == Place.HERE);
        seat.must("./boxd new --name a");
        assertThat(seat.type("./boxd exec a 'exit 3'").status()).isEqualTo(3);
        assertThat(seat.type("./boxd exec a no-such-command").status()).isEqualTo(127);
        assertThat(seat.type("./boxd exec a --timeout 1s 'sleep 100'").status()).isEqualTo(124);
        assertThat(seat.type("./boxd exec a 'kill -9 $$'").status()).isEqualTo(128 + 9);
        var both = seat.type("./boxd exec a 'echo out; echo err >&2'");
        assertThat(both.output()).isEqualTo("out\n");
        assertThat(both.errors()).isEqualTo("err\n");
        String data = "head -c " + MEGABYTES + "M /dev/urandom";
        seat.must(data + " > data");
        String here = seat.must("sha256sum < data");
        assertThat(seat.must("./boxd exec a sha256sum < data")).isEqualTo(here);
        assertThat(seat.must("./boxd exec a cat < data | sha256sum")).isEqualTo(here);
    }

    @Test
    void manyAtOnceAndSomeThatOutliveTheirClient() throws Exception {
        seat.must("./boxd new --name a");
        String all = "for i in $(seq " + AT_ONCE + "); do ./boxd exec a \"echo $i\" & done; wait";
        assertThat(seat.must(all).lines().mapToInt(Integer::parseInt).sum()).isEqualTo(AT_ONCE * (AT_ONCE + 1) / 2);

        String count = "'for i in $(seq 20000); do echo $i; done; sleep 1000'";
        String id = seat.must("./boxd exec a --detach " + count).strip();
        Process client = seat.begin("./boxd attach a " + id + " > part");
        Path part = seat.folder().resolve("part");
        await("the first output", () -> Files.exists(part) && Files.size(part) > 1000);
        client.destroyForcibly().waitFor();
        Process follower = seat.begin("./boxd logs a " + id + " -f > whole");
        Path whole = seat.folder().resolve("whole");
        await(
                "the last output",
                () -> Files.exists(whole) && Files.readString(whole).endsWith("\n20000\n"));
        assertThat(Files.readAllLines(whole)).hasSize(20_000);
        seat.must("./boxd kill a " + id + " --signal KILL");
        assertThat(follower.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(seat.must("./boxd ps a")).contains("killed");
    }

    @Test
    void eachMistakeHasItsWordsAndItsStatus() {
        seat.must("./boxd new --name a");
        seat.refuses("./boxd info nobody", 3, "nobody");
        seat.refuses("./boxd exec nobody true", 125, "nobody");
        seat.refuses("./boxd new --name a", 4, "a");
        seat.refuses("./boxd new --name A_b", 2, "name");
        seat.refuses("./boxd new --image nowhere", 3, "there is no image 'nowhere'");
        seat.refuses("./boxd new --policy strict", 2, "--policy");
        seat.refuses("./boxd nwe", 2, "new");
        seat.must("./boxd stop a");
        seat.refuses("./boxd pause a", 4, "Start it: boxd start a.");
        seat.refuses("./boxd new --memory 900G", 2, "memory");
    }

    @Test
    void whatTheBoxesRootDestroysComesBack() {
        seat.must("./boxd new --name a");
        seat.must("./boxd exec a --user root 'echo here > /data/note && sync'");
        seat.must("./boxd snapshot save a --as good");
        Path outside = seat.folder().resolve("boxd");
        seat.type("./boxd exec a --user root --timeout 60s 'rm -rf / --no-preserve-root 2>/dev/null'");
        assertThat(outside).exists();
        seat.must("./boxd rollback a good");
        assertThat(seat.must("./boxd exec a 'cat /data/note'")).isEqualTo("here\n");
    }

    private static void await(String what, Instance.Condition condition) throws IOException {
        Instance.await(what, condition, Deadline.inSeconds(60));
    }
}
