package io.boxd.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.ledger.Ledger;
import io.boxd.linux.FileOwner;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Who waits for the log, and how often; and that a repeated order makes nothing twice. */
@Tag("machine")
class BoxCommitsTest {
    @Test
    void newAndForkWaitForTwoCommitsAndWhatIsHotForNone() throws Exception {
        Path home = Files.createTempDirectory("boxd-test-");
        WorkerConfig config = TestingBoxes.config(home, home.resolve("registry"), WorkerHouse.cache());
        BoxBook book = new BoxBook();
        try (Ledger ledger = Ledger.open(WorkerConfig.ledger(home), List.of(book), TestingBoxes.soon());
                HostBoxes boxes = HostBoxes.open(
                        config,
                        ledger,
                        book,
                        Optional.empty(),
                        Admission.unlimited(),
                        BoxWitness.none(),
                        TestingBoxes.soon())) {
            try {
                check(ledger, boxes);
            } finally {
                boxes.destroy(boxes.list().stream().map(Box::id).toList(), false, TestingBoxes.soon());
            }
        } finally {
            FileOwner.deleteTree(home);
        }
    }

    private static void check(Ledger ledger, HostBoxes boxes) {
        long began = ledger.commits();
        boxes.create(keyed(TestingBoxes.order("one", TestingBoxes.AWAKE), "k1"), TestingBoxes.soon());
        assertThat(ledger.commits() - began).isEqualTo(2);
        Box again = boxes.create(keyed(TestingBoxes.order("two", TestingBoxes.AWAKE), "k1"), TestingBoxes.soon());
        assertThat(again.name()).isEqualTo("one");
        assertThat(ledger.commits() - began).isEqualTo(2);
        ForkOrder order = new ForkOrder(
                List.of("a", "b"),
                false,
                Map.of(),
                BoxRow.LOCAL,
                List.of(),
                Optional.of(new RequestKey(BoxRow.LOCAL, "k2", "r")),
                Sharing.none());
        List<String> copies = ids(boxes.fork("one", order, TestingBoxes.soon()));
        assertThat(ledger.commits() - began).isEqualTo(4);
        assertThat(ids(boxes.fork("one", order, TestingBoxes.soon()))).isEqualTo(copies);
        for (Move move : List.of(Move.PAUSE, Move.RESUME, Move.HIBERNATE, Move.WAKE)) {
            boxes.move("one", move, TestingBoxes.soon());
        }
        assertThat(TestingBoxes.sh(boxes, "one", "echo on")).isEqualTo("on");
        assertThat(ledger.commits() - began).isEqualTo(4);
    }

    private static List<String> ids(Forked forked) {
        return forked.boxes().stream().map(Box::id).toList();
    }

    private static NewBox keyed(NewBox order, String key) {
        return new NewBox(
                order.name(),
                order.origin(),
                order.size(),
                order.environment(),
                order.labels(),
                order.sleep(),
                order.checkpoints(),
                order.timeToLive(),
                order.untilReady(),
                order.owner(),
                order.allowances(),
                Optional.of(new RequestKey(order.owner(), key, "r")),
                order.sharing());
    }
}
