package io.boxd.worker;

import io.boxd.network.Knock;
import io.boxd.vmm.Machine;
import java.util.function.Consumer;

/** Hears what happens to boxes by itself. */
interface Ends {
    /** Calls back when this machine of the box has ended. */
    void listen(HostedBox box, Machine machine);

    /** Who is to hear of a packet for the box while it sleeps. */
    Consumer<Knock> knocked(HostedBox box);
}
