package io.boxd.vmm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.linux.PageBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class PageBuffersTest {
    private static final long STEP = 32L << 20;

    private final PageBuffers buffers = new PageBuffers(3 * STEP);

    @Test
    void roundsUpToWholeSteps() {
        try (buffers) {
            for (long wanted : new long[] {0, 1, STEP}) {
                PageBuffer buffer = buffers.take(wanted);
                assertThat(buffer.size()).isEqualTo(STEP);
                buffers.giveBack(buffer);
            }
            PageBuffer larger = buffers.take(STEP + 1);
            assertThat(larger.size()).isEqualTo(2 * STEP);
            buffers.giveBack(larger);
        }
    }

    @Test
    void usesTheSmallestIdleOneThatFits() {
        try (buffers) {
            PageBuffer small = buffers.take(STEP);
            PageBuffer large = buffers.take(2 * STEP);
            buffers.giveBack(large);
            buffers.giveBack(small);
            PageBuffer again = buffers.take(5);
            assertThat(again).isSameAs(small);
            PageBuffer andAgain = buffers.take(5);
            assertThat(andAgain).isSameAs(large);
            buffers.giveBack(again);
            buffers.giveBack(andAgain);
        }
    }

    @Test
    void aBufferInUseIsNobodyElses() {
        try (buffers) {
            PageBuffer one = buffers.take(STEP);
            buffers.giveBack(one);
            PageBuffer mine = buffers.take(STEP);
            PageBuffer yours = buffers.take(STEP);
            assertThat(mine).isSameAs(one).isNotSameAs(yours);
            buffers.giveBack(mine);
            buffers.giveBack(yours);
        }
    }

    @Test
    void dropsTheSmallestToStayWithinTheBound() {
        try (buffers) {
            PageBuffer small = buffers.take(STEP);
            PageBuffer large = buffers.take(3 * STEP);
            buffers.giveBack(small);
            buffers.giveBack(large);
            assertThatThrownBy(() -> small.bytes(0, 1)).hasMessage("page buffer is closed");
            assertThat(buffers.take(1)).isSameAs(large);
            buffers.giveBack(large);
        }
    }

    @Test
    void keepsNoneThatIsLargerThanTheBound() {
        try (buffers) {
            PageBuffer huge = buffers.take(4 * STEP);
            buffers.giveBack(huge);
            assertThatThrownBy(() -> huge.bytes(0, 1)).hasMessage("page buffer is closed");
        }
    }

    /** It would be handed to two forks at once, and unmapped below one of them. */
    @Test
    void refusesABufferThatIsBackAlready() {
        try (buffers) {
            PageBuffer buffer = buffers.take(1);
            buffers.giveBack(buffer);
            assertThatThrownBy(() -> buffers.giveBack(buffer)).hasMessage("a page buffer was given back twice");
        }
    }

    @Test
    void closingFreesTheIdleOnesAndLateReturns() {
        PageBuffer idle = buffers.take(1);
        PageBuffer late = buffers.take(1);
        buffers.giveBack(idle);
        buffers.close();
        assertThatThrownBy(() -> idle.bytes(0, 1)).hasMessage("page buffer is closed");
        assertThat(late.bytes(0, 1).capacity()).isEqualTo(1);
        buffers.giveBack(late);
        assertThatThrownBy(() -> late.bytes(0, 1)).hasMessage("page buffer is closed");
    }
}
