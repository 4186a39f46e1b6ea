package io.boxd.api;

import io.boxd.common.BoxdException;
import io.boxd.control.Control;

/**
 * Has it written down who was turned away at the gate. Of each address so often and no more, the rest is only counted:
 * nobody who may not come in can fill the disk.
 */
final class Refusals {
    /** A little more at once, as {@link RateLimits} has it. */
    private static final int WRITTEN_A_SECOND = 1;

    private final Control control;
    private final RateLimits limits = new RateLimits(WRITTEN_A_SECOND, System::nanoTime);

    Refusals(Control control) {
        this.control = control;
    }

    /** What the gate looks at. */
    interface Look {
        void at(Gate.Request request);
    }

    /** Looks, and lets the request go on or throws. */
    void check(Exchange exchange, Look look) {
        try {
            look.at(exchange.atTheGate());
        } catch (BoxdException e) {
            if (limits.take(exchange.remoteAddress()).isEmpty()) {
                control.refused(exchange.caller(), exchange.method() + " " + exchange.path(), e);
            } else {
                control.refusedOften();
            }
            throw e;
        }
    }
}
