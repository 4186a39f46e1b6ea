package io.boxd.trials;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A server and its boxes, used with nothing but OpenSSH's client. */
@Tag("machine")
final class SshTest {
    private static final String SSH =
            "ssh -F person/.ssh/config -o BatchMode=yes -o IdentitiesOnly=yes" + " -o IdentityAgent=none -i key ";

    private Instance instance;

    @BeforeEach
    void open() throws IOException {
        instance = Instance.tiny();
        instance.must("./boxd up");
        instance.must("ssh-keygen -q -t ed25519 -N '' -f key && ./boxd key add key.pub");
        instance.must("./boxd ssh-config --write");
        instance.must(SSH + "boxd new --name=a --json");
        instance.must("./boxd ssh-config --write");
    }

    @AfterEach
    void close() throws IOException {
        instance.close();
    }

    @Test
    void aBoxAnswersAwakeAndAsleep() {
        assertThat(instance.must(SSH + "a.boxd hostname")).isEqualTo("a\n");
        assertThat(instance.type(SSH + "a.boxd 'exit 7'").status()).isEqualTo(7);
        for (String move : new String[] {"pause", "hibernate"}) {
            instance.must(SSH + "boxd " + move + " a");
            assertThat(instance.must(SSH + "a.boxd hostname")).as(move).isEqualTo("a\n");
        }
        assertThat(instance.json(SSH + "boxd info a --json").path("ssh").asString())
                .endsWith(" a@localhost");
        assertThat(instance.must("head -c 3000000 /dev/zero | " + SSH + "a.boxd 'wc -c'")
                        .strip())
                .isEqualTo("3000000");
        assertThat(instance.must("./boxd audit --json")).contains("\"ssh\"");
        instance.must(SSH + "boxd destroy a");
        instance.refuses(SSH + "boxd info a", 3, "there is no box a");
    }

    @Test
    void theServersEndIsTheEndOfSessionsAndOfNoCommand() throws IOException, InterruptedException {
        String id = instance.must(SSH + "boxd exec a --detach 'echo one; sleep 3; echo two; sleep 1000'")
                .strip();
        Process client = instance.begin(SSH + "a.boxd 'echo begun; sleep 1000'");
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(client.getInputStream(), UTF_8))) {
            assertThat(reader.readLine()).isEqualTo("begun");
            instance.must("./boxd down");
            assertThat(client.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(client.exitValue()).isEqualTo(255);
        } finally {
            client.destroy();
        }
        instance.must("./boxd up");
        instance.must("./boxd ssh-config --write");
        assertThat(instance.must(SSH + "boxd kill a " + id)).isNotEmpty();
        assertThat(instance.type(SSH + "boxd attach a " + id).output()).isEqualTo("one\ntwo\n");
    }
}
