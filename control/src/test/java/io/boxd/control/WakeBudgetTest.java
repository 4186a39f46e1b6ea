package io.boxd.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.worker.Box;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
final class WakeBudgetTest {
    private final AtomicLong now = new AtomicLong(1);
    private final WakeBudget budget = new WakeBudget(now::get);
    private final TestingBoxes boxes = new TestingBoxes();

    private void pass(Duration time) {
        now.addAndGet(time.toNanos());
    }

    private boolean wakes(Box box) {
        return budget.within(box, () -> true);
    }

    @Test
    void aBoxIsWokenOnlyNowAndThen() {
        Box box = boxes.add("a");
        assertThat(wakes(box)).isTrue();
        assertThatThrownBy(() -> wakes(box)).isInstanceOf(BoxdException.class).hasMessageContaining("a moment ago");
        pass(WakeBudget.BETWEEN);
        assertThat(wakes(box)).isTrue();
    }

    @Test
    void whoComesWhileItWakesWaitsForThat() {
        Box box = boxes.add("a");
        boolean second = budget.within(box, () -> wakes(box));
        assertThat(second).isTrue();
    }

    @Test
    void theBoxesOfAnOwnerHaveABudgetTogether() {
        for (int i = 0; i < WakeBudget.PER_MINUTE; i++) {
            assertThat(wakes(boxes.add("b" + i))).isTrue();
        }
        Box more = boxes.add("more");
        assertThatThrownBy(() -> wakes(more)).isInstanceOf(BoxdException.class).hasMessageContaining("of its owner");
        pass(Duration.ofMinutes(2));
        assertThat(wakes(more)).isTrue();
    }

    @Test
    void aWakeThatFailsIsOver() {
        Box box = boxes.add("a");
        assertThatThrownBy(() -> budget.within(box, () -> {
                    throw new IllegalStateException("no");
                }))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> wakes(box)).isInstanceOf(BoxdException.class);
    }
}
