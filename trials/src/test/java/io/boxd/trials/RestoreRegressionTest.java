package io.boxd.trials;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** What people really run still works after a box was forked, woken or rolled back: languages, a database, containers. */
@Tag("machine")
@EnabledIfSystemProperty(named = "boxd.test.long", matches = "true")
class RestoreRegressionTest {
    private Instance instance;

    @BeforeEach
    void up() throws IOException {
        instance = Instance.usual();
        for (String file : new String[] {"tools.toml", "prepare.sh", "check.sh"}) {
            try (var in = Objects.requireNonNull(getClass().getResourceAsStream("/restore/" + file), file)) {
                Files.writeString(instance.folder().resolve(file), new String(in.readAllBytes(), UTF_8));
            }
        }
        instance.must("./boxd up");
        instance.must("./boxd image build tools --recipe tools.toml");
    }

    @AfterEach
    void close() throws IOException {
        instance.close();
    }

    private void check(String box) {
        assertThat(instance.must("./boxd exec " + box + " --user root -- sh /home/boxd/check.sh"))
                .as(box)
                .endsWith("all is well\n");
    }

    @Test
    void everythingWorksAfterForkWakeAndRollback() {
        instance.must("./boxd new --image tools --name app --memory 3G");
        instance.must("./boxd cp prepare.sh app: && ./boxd cp check.sh app:");
        instance.must("./boxd exec app --user root -- sh /home/boxd/prepare.sh");
        check("app");
        instance.must("./boxd snapshot save app --as works");

        instance.must("./boxd exec app --user postgres --detach -- pgbench -c 2 -R 20 -T 600 load");
        instance.must("./boxd fork app --name copy");
        check("copy");
        instance.must("./boxd destroy copy");
        check("app");

        instance.must("./boxd hibernate app");
        check("app");

        instance.must("./boxd exec app --user root 'rm -rf /usr/lib/go* /usr/lib/jvm /var/lib/postgresql'");
        instance.must("./boxd rollback app works");
        check("app");
    }
}
