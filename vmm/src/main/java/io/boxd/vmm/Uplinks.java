package io.boxd.vmm;

import java.util.Optional;

/** Where cells get their uplinks from; thread-safe. */
public interface Uplinks {
    /** An uplink for one cell; empty if machines are to have no network. */
    Optional<Uplink> take();

    /** The uplink of a cell that an earlier server made; empty if it is not there any more. */
    Optional<Uplink> adopt(String id);

    /** Called once for each uplink that was taken, when no process has its tap open any more. */
    void giveBack(Uplink uplink);

    /** Machines without a network: each has a tap of its own that leads nowhere. */
    static Uplinks none() {
        return new Uplinks() {
            @Override
            public Optional<Uplink> take() {
                return Optional.empty();
            }

            @Override
            public Optional<Uplink> adopt(String id) {
                return Optional.empty();
            }

            @Override
            public void giveBack(Uplink uplink) {
                throw new IllegalStateException("no uplink was ever handed out");
            }
        };
    }
}
