package io.boxd.trials;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** What people really run works after a fork, a wake and a rollback: languages, a database, containers. */
@Tag("machine")
@EnabledIfSystemProperty(named = "boxd.test.long", matches = "true")
class RestoreRegressionTest {
    private static Instance instance;

    @BeforeAll
    static void up() throws IOException {
        instance = Instance.usual();
        for (String file : List.of("tools.toml", "prepare.sh", "check.sh", "golden.sh")) {
            String path = "/restore/" + file;
            try (InputStream in = Objects.requireNonNull(RestoreRegressionTest.class.getResourceAsStream(path), path)) {
                Files.writeString(instance.folder().resolve(file), new String(in.readAllBytes(), UTF_8));
            }
        }
        instance.must("./boxd up");
        instance.must("./boxd image build tools --recipe tools.toml");
        instance.must("./boxd new --image tools --name app --memory 3G");
        for (String script : List.of("prepare.sh", "check.sh", "golden.sh")) {
            instance.must("./boxd cp " + script + " app:");
        }
        instance.must("./boxd exec app --user root -- sh /home/boxd/prepare.sh");
        instance.must("./boxd snapshot save app --as works");
    }

    @AfterAll
    static void close() throws IOException {
        instance.close();
    }

    private static void check(String box) {
        assertThat(instance.must("./boxd exec " + box + " --user root -- sh /home/boxd/check.sh"))
                .as(box)
                .endsWith("all is well\n");
    }

    @Test
    void everythingWorksAfterForkWakeAndRollback() {
        check("app");
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

    /** A web server, a database and a build that run go on in every copy. */
    @Test
    void manyCopiesOfABusyBoxServeAtOnce() {
        instance.must("./boxd new --from works --name golden");
        instance.must("./boxd exec golden --user root -- sh /home/boxd/golden.sh start");
        instance.must("./boxd fork golden --name gold --count 5");
        for (String box : List.of("gold-1", "gold-2", "gold-3", "gold-4", "gold-5", "golden")) {
            assertThat(instance.must("./boxd exec " + box + " --user root -- sh /home/boxd/golden.sh check"))
                    .as(box)
                    .endsWith("serves\n");
        }
        instance.must("./boxd destroy gold-1 gold-2 gold-3 gold-4 gold-5 golden");
    }
}
