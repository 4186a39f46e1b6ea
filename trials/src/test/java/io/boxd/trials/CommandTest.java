package io.boxd.trials;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.Deadline;
import java.io.IOException;
import java.net.ServerSocket;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The command beside its server: who may use that, what happens when it ends, what is the host's own affair. */
@Tag("machine")
class CommandTest {
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
    void eachMistakeHasItsWordsAndItsStatus() throws IOException {
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
}
