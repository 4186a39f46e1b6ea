package io.boxd.worker;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.network.Traffic;
import io.boxd.network.Wire;
import io.boxd.network.Wires;
import io.boxd.vmm.Machine;
import io.boxd.vmm.Uplink;
import io.boxd.vmm.Uplinks;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Gives each machine a wire of its own. Thread-safe. */
public final class MachineWires implements Uplinks {
    private static final int MOST_REMEMBERED = 1024;

    private final Wires wires;
    /** What had passed over wires that are gone; the newest, since nobody asks late. */
    private final Map<String, Traffic> passed = new LinkedHashMap<>();

    public MachineWires(Wires wires) {
        this.wires = wires;
    }

    @Override
    public Optional<Uplink> take() {
        return Optional.of(uplink(wires.take()));
    }

    @Override
    public Optional<Uplink> adopt(String id) {
        return wires.adopt(id).map(MachineWires::uplink);
    }

    private static Uplink uplink(Wire wire) {
        return new Uplink(wire.id(), wire.namespace(), wire.tap());
    }

    @Override
    public void giveBack(Uplink uplink) {
        wires.find(uplink.id()).ifPresent(wire -> {
            remember(wire);
            wires.giveBack(wire);
        });
    }

    private void remember(Wire wire) {
        try {
            Traffic traffic = wire.traffic();
            synchronized (passed) {
                passed.put(wire.id(), traffic);
                if (passed.size() > MOST_REMEMBERED) {
                    passed.remove(passed.keySet().iterator().next());
                }
            }
        } catch (BoxdException e) {
            Workshop.warn("what has passed over the wire " + wire.id() + " is not known", e);
        }
    }

    /** What had passed over a wire when it was given back. */
    Optional<Traffic> passed(String id) {
        synchronized (passed) {
            return Optional.ofNullable(passed.get(id));
        }
    }

    /** The wire that a machine is on. */
    public Wire of(Machine machine) {
        return machine.uplink()
                .flatMap(uplink -> wires.find(uplink.id()))
                .orElseThrow(() -> new BoxdException(ErrorCode.WRONG_STATE, "the machine has no network"));
    }
}
