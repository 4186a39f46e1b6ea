package io.boxd.trials;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.boxd.common.Deadline;
import io.boxd.common.Json;
import io.boxd.ledger.Book;
import io.boxd.ledger.Decision;
import io.boxd.ledger.Ledger;
import io.boxd.ledger.Tables;
import io.boxd.linux.Command;
import io.boxd.linux.FileOwner;
import io.boxd.worker.WorkerConfig;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** What an earlier program has written is opened by this one; what a later one has written is refused. */
@Tag("machine")
class UpgradeTest {
    private static final String HOME = "/upgrade/home.tar.gz";
    private static final int BUILD_SECONDS = 3000;

    @SuppressWarnings("NullAway.Init")
    private Instance instance;

    @AfterEach
    void close() throws IOException {
        instance.close();
    }

    /** Kept from then, as a killed server left it: all but machines, which were on another host. */
    @Test
    void whatWasDecidedLongAgoIsThere() throws IOException {
        instance = Instance.tiny();
        try (InputStream in = Objects.requireNonNull(UpgradeTest.class.getResourceAsStream(HOME), HOME)) {
            Files.copy(in, instance.folder().resolve("home.tar.gz"));
        }
        instance.must("mkdir home && tar -xzf home.tar.gz -C home");
        instance.must("./boxd up");
        JsonNode box = instance.json("./boxd info a --json");
        assertThat(box.path("labels").path("turn").asString()).isEqualTo("2");
        assertThat(box.path("org").asString()).isEqualTo("red");
        assertThat(box.path("status_reason").asString())
                .as("where its machine is")
                .isNotBlank();
        checkAccounts();
        assertThat(instance.json("./boxd webhook list --json")).hasSize(1);
        assertThat(instance.must("./boxd audit verify")).isNotBlank();
        instance.refuses("./boxd new --name a", 4, "a");
        instance.must("./boxd new --name b && ./boxd exec b true");
    }

    /** The organisation and the token, with which one can still do what it is for and nothing else. */
    private void checkAccounts() throws IOException {
        JsonNode red = instance.json("./boxd org list --json").path(0);
        assertThat(red.path("name").asString()).isEqualTo("red");
        assertThat(red.path("pool").path("boxes").asInt()).isEqualTo(50);
        String token = Json.parse(Files.readString(instance.home().resolve("ci.json")))
                .path("token")
                .asString();
        String as = "env -u BOXD_HOME BOXD_TOKEN=" + token + " BOXD_URL="
                + instance.json("./boxd status --json").path("url").asString() + " ./boxd ";
        assertThat(instance.json(as + "list --all --json")).isNotEmpty();
        instance.refuses(as + "destroy a", 5, "not for destroy");
    }

    @Test
    void whatANewerProgramHasWrittenIsRefused() throws IOException {
        instance = Instance.tiny();
        Path home = Files.createDirectories(instance.home());
        Ledger.open(WorkerConfig.ledger(home), List.of(new LaterBook()), Deadline.inSeconds(60))
                .close();
        String before = instance.must("cd home && find state -type f -name 'state*' | sort | xargs sha256sum");
        var up = instance.type("./boxd up");
        assertThat(up.status()).isEqualTo(7);
        assertThat(up.errors()).contains("was written by a newer boxd", "Run that version, or a newer one.");
        instance.refuses("./boxd state restore", 4, "was written by a newer boxd");
        assertThat(instance.must("cd home && find state -type f -name 'state*' | sort | xargs sha256sum"))
                .isEqualTo(before);
        FileOwner.deleteTree(home);
    }

    /** That part of the state in which boxes are, as it may be one day. */
    private static final class LaterBook implements Book {
        @Override
        public String name() {
            return "boxes";
        }

        @Override
        public List<Migration> migrations() {
            return Collections.nCopies(1000, _ -> {});
        }

        @Override
        public void load(Tables tables) {
            // Nothing is asked of it.
        }

        @Override
        public boolean isTaken(String name) {
            return false;
        }

        @Override
        public Decision decide(int version, String command, Tables tables, Predicate<String> takenElsewhere) {
            return Decision.done(() -> {});
        }
    }

    /** With boxes that run and sleep meanwhile, whether the earlier server ended in order or not. */
    @ParameterizedTest
    @ValueSource(strings = {"down", "kill"})
    @EnabledIfSystemProperty(named = "boxd.test.long", matches = "true")
    void whatThePreviousCommitHasWrittenGoesOn(String end) throws IOException {
        Path tree = previous();
        try {
            instance = Instance.tiny(Map.of("BOXD_WEBHOOKS_ALLOW_PRIVATE", "true"));
            instance.use(tree);
            instance.must("./boxd up");
            instance.must("./boxd org create red && ./boxd org pool red --boxes 50 --cpus 64 --memory 256G");
            instance.must("./boxd token create ci --verbs list,exec --json > home/ci.json");
            instance.must("./boxd new --name a --label turn=1 --org red --shared");
            instance.must("./boxd exec a 'echo kept > /tmp/note'");
            instance.must("./boxd snapshot save a --as then");
            instance.must("./boxd fork a --name b && ./boxd hibernate b && ./boxd label a turn=2");
            instance.must("./boxd webhook add http://127.0.0.1:9/hook --events failed");
            if (end.equals("down")) {
                instance.must("./boxd down");
            } else {
                instance.killServer();
            }
            instance.use(Instance.REPOSITORY);
            instance.must("./boxd up");
            JsonNode box = instance.json("./boxd info a --json");
            assertThat(box.path("status").asString()).isEqualTo("running");
            assertThat(box.path("labels").path("turn").asString()).isEqualTo("2");
            assertThat(box.path("visibility").asString()).isEqualTo("shared");
            assertThat(instance.must("./boxd exec a 'cat /tmp/note'")).isEqualTo("kept\n");
            assertThat(instance.must("./boxd exec b 'cat /tmp/note'")).isEqualTo("kept\n");
            instance.must("./boxd exec a 'rm /tmp/note'; ./boxd rollback a then");
            assertThat(instance.must("./boxd exec a 'cat /tmp/note'")).isEqualTo("kept\n");
            checkAccounts();
            assertThat(instance.json("./boxd webhook list --json")).hasSize(1);
            assertThat(instance.must("./boxd audit verify")).isNotBlank();
            instance.json("./boxd snapshot list --json")
                    .forEach(kept -> instance.must(
                            "./boxd snapshot rm " + kept.path("id").asString()));
        } finally {
            FileOwner.deleteTree(tree);
        }
    }

    /** The tree of the commit before this one, built. */
    private static Path previous() throws IOException {
        Path tree = Files.createTempDirectory("boxd-previous");
        String archive = "git -C " + Instance.REPOSITORY + " archive HEAD~1 | tar -x -C " + tree;
        assumeTrue(
                Command.of("sh", "-c", archive).run(Deadline.inSeconds(60)).succeeded()
                        && Files.exists(tree.resolve("boxd")),
                "a tree with its history");
        Command.of("sh", "-c", "./boxd version").withDirectory(tree).check(Deadline.inSeconds(BUILD_SECONDS));
        return tree;
    }
}
