package io.boxd.guest;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class OutputOrderTest {
    /** As single bytes: 0 and 1 are channels, 2 is a gap. */
    private final ArrayDeque<Integer> expected = new ArrayDeque<>();

    private final OutputOrder order = new OutputOrder();

    @Test
    void keepsEveryByteInItsPlace() {
        SplittableRandom random = new SplittableRandom(4);
        for (int turn = 0; turn < 20_000; turn++) {
            if (random.nextInt(3) < 2) {
                add(random.nextInt(3), random.nextInt(1, 5));
            } else if (!order.isEmpty()) {
                take(random.nextInt(1, 1 + (int) order.firstBytes()));
            }
            assertThat(order.isEmpty()).isEqualTo(expected.isEmpty());
        }
        while (!order.isEmpty()) {
            take((int) order.firstBytes());
        }
        assertThat(expected).isEmpty();
    }

    private void add(int kind, int bytes) {
        if (kind == 2) {
            order.addGap(bytes);
        } else {
            order.add(kind == 0 ? OutputChannel.STDOUT : OutputChannel.STDERR, bytes);
        }
        for (int i = 0; i < bytes; i++) {
            expected.add(kind);
        }
    }

    private void take(int bytes) {
        int kind = order.startsWithGap() ? 2 : order.firstChannel() == OutputChannel.STDOUT ? 0 : 1;
        for (int i = 0; i < bytes; i++) {
            assertThat(expected.remove()).isEqualTo(kind);
        }
        order.take(bytes);
    }
}
