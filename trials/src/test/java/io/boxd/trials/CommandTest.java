package io.boxd.trials;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.Deadline;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The command on the smallest boxes: what goes through it, what it refuses, and how it ends. */
@Tag("machine")
class CommandTest {
    private static final int MEGABYTES = Instance.LONG ? 200 : 4;
    private static final int AT_ONCE = Instance.LONG ? 100 : 8;

    private static Instance instance;

    @BeforeAll
    static void up() throws IOException {
        instance = Instance.tiny();
        instance.must("./boxd up");
    }

    @AfterAll
    static void close() throws IOException {
        instance.close();
    }

    @AfterEach
    void destroy() {
        instance.destroyAll();
    }

    @Test
    void boxesGoOnWhileTheServerIsDown() {
        instance.must("./boxd new --name a");
        String before = instance.must("./boxd exec a 'sleep 1000 & echo $!'").strip();
        instance.must("./boxd up");
        instance.must("./boxd down");
        instance.refuses("./boxd list", 7, "boxd up");
        instance.must("./boxd up");
        assertThat(instance.json("./boxd info a --json").path("status").asString())
                .isEqualTo("running");
        assertThat(instance.must("./boxd exec a 'cat /proc/" + before + "/comm'"))
                .isEqualTo("sleep\n");
        // At once, while it may still be dying.
        long server = instance.json("./boxd status --json").path("pid").asLong();
        instance.must("kill -9 " + server + "; ./boxd up");
        assertThat(instance.json("./boxd status --json").path("pid").asLong()).isNotEqualTo(server);
        assertThat(instance.must("./boxd exec a 'cat /proc/" + before + "/comm'"))
                .isEqualTo("sleep\n");
    }

    @Test
    void statusesAndStreamsPassThrough() {
        instance.must("./boxd new --name a");
        assertThat(instance.type("./boxd exec a 'exit 3'").status()).isEqualTo(3);
        assertThat(instance.type("./boxd exec a no-such-command").status()).isEqualTo(127);
        assertThat(instance.type("./boxd exec a --timeout 1s 'sleep 100'").status())
                .isEqualTo(124);
        assertThat(instance.type("./boxd exec a 'kill -9 $$'").status()).isEqualTo(128 + 9);
        var both = instance.type("./boxd exec a 'echo out; echo err >&2'");
        assertThat(both.output()).isEqualTo("out\n");
        assertThat(both.errors()).isEqualTo("err\n");
        String data = "head -c " + MEGABYTES + "M /dev/urandom";
        instance.must(data + " > data");
        String here = instance.must("sha256sum < data");
        assertThat(instance.must("./boxd exec a sha256sum < data")).isEqualTo(here);
        assertThat(instance.must("./boxd exec a cat < data | sha256sum")).isEqualTo(here);
    }

    @Test
    void manyAtOnceAndSomeThatOutliveTheirClient() throws Exception {
        instance.must("./boxd new --name a");
        String all = "for i in $(seq " + AT_ONCE + "); do ./boxd exec a \"echo $i\" & done; wait";
        assertThat(instance.must(all).lines().mapToInt(Integer::parseInt).sum()).isEqualTo(AT_ONCE * (AT_ONCE + 1) / 2);

        String count = "'for i in $(seq 20000); do echo $i; done; sleep 1000'";
        String id = instance.must("./boxd exec a --detach " + count).strip();
        Process client = instance.begin("./boxd attach a " + id + " > part");
        Path part = instance.folder().resolve("part");
        await("the first output", () -> Files.exists(part) && Files.size(part) > 1000);
        client.destroyForcibly().waitFor();
        Process follower = instance.begin("./boxd logs a " + id + " -f > whole");
        Path whole = instance.folder().resolve("whole");
        await(
                "the last output",
                () -> Files.exists(whole) && Files.readString(whole).endsWith("\n20000\n"));
        assertThat(Files.readAllLines(whole)).hasSize(20_000);
        instance.must("./boxd kill a " + id + " --signal KILL");
        assertThat(follower.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(instance.must("./boxd ps a")).contains("killed");
    }

    @Test
    void eachMistakeHasItsWordsAndItsStatus() throws IOException {
        instance.must("./boxd new --name a");
        instance.refuses("./boxd info nobody", 3, "nobody");
        instance.refuses("./boxd exec nobody true", 125, "nobody");
        instance.refuses("./boxd new --name a", 4, "a");
        instance.refuses("./boxd new --name A_b", 2, "name");
        instance.refuses("./boxd new --image nowhere", 3, "there is no image 'nowhere'");
        instance.refuses("./boxd new --policy strict", 2, "--policy");
        instance.refuses("./boxd nwe", 2, "new");
        instance.must("./boxd stop a");
        instance.refuses("./boxd pause a", 4, "Start it: boxd start a.");
        instance.refuses("./boxd new --memory 900G", 2, "memory");
        instance.refuses("./boxd serve", 4, "another boxd server");
        try (ServerSocket taken = new ServerSocket(0)) {
            String elsewhere =
                    "BOXD_HOME=" + instance.folder().resolve("other") + " BOXD_HTTP_PORT=" + taken.getLocalPort();
            instance.refuses(elsewhere + " ./boxd up", 7, String.valueOf(taken.getLocalPort()));
        }
    }

    @Test
    void onlyRootAndWhoeverAskedForTheServerMayUseIt() {
        // Where others may go, which the tree need not be.
        String program = Instance.REPOSITORY.resolve("target/program").toString();
        instance.must("chmod 711 . && mkdir user && cd " + program + " && cp -rP launch runtime lib cli.jars cli.jsa "
                + instance.folder().resolve("user"));
        String asUser = "setpriv --reuid 65534 --regid 65534 --clear-groups user/launch list --json";
        instance.refuses(asUser, 5, "token");
        instance.must("SUDO_UID=65534 ./boxd up");
        assertThat(instance.must(asUser).strip()).isEqualTo("[]");
        // The next one does not take it away.
        instance.must("SUDO_UID=65533 ./boxd up");
        assertThat(instance.must(asUser).strip()).isEqualTo("[]");
    }

    @Test
    void aBoxWhoseProcessIsKilledSaysSoAndStartsAgain() throws Exception {
        instance.must("./boxd new --name a");
        instance.must("./boxd exec a --user root 'echo kept > /data/note && sync'");
        List<Long> machines = instance.processes().entrySet().stream()
                .filter(each -> each.getValue().contains("qemu"))
                .map(Map.Entry::getKey)
                .toList();
        assertThat(machines).isNotEmpty();
        machines.forEach(machine -> ProcessHandle.of(machine).ifPresent(ProcessHandle::destroyForcibly));
        await(
                "the failure",
                () -> instance.json("./boxd info a --json")
                        .path("status")
                        .asString()
                        .equals("failed"));
        assertThat(instance.json("./boxd info a --json").path("status_reason").asString())
                .isNotEmpty();
        instance.must("./boxd start a");
        assertThat(instance.must("./boxd exec a 'cat /data/note'")).isEqualTo("kept\n");
    }

    private static void await(String what, Instance.Condition condition) throws IOException {
        Instance.await(what, condition, Deadline.inSeconds(60));
    }

    @Test
    void whatTheBoxesRootDestroysComesBack() {
        instance.must("./boxd new --name a");
        instance.must("./boxd exec a --user root 'echo here > /data/note && sync'");
        instance.must("./boxd snapshot save a --as good");
        Path outside = instance.folder().resolve("boxd");
        instance.type("./boxd exec a --user root --timeout 60s 'rm -rf / --no-preserve-root 2>/dev/null'");
        assertThat(outside).exists();
        instance.must("./boxd rollback a good");
        assertThat(instance.must("./boxd exec a 'cat /data/note'")).isEqualTo("here\n");
    }
}
