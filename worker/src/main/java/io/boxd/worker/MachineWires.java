package io.boxd.worker;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.network.Wire;
import io.boxd.network.Wires;
import io.boxd.vmm.Machine;
import io.boxd.vmm.Uplink;
import io.boxd.vmm.Uplinks;
import java.util.Optional;

/** Gives each machine a wire of its own. Thread-safe. */
public final class MachineWires implements Uplinks {
    private final Wires wires;

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
        wires.find(uplink.id()).ifPresent(wires::giveBack);
    }

    /** The wire that a machine is on. */
    public Wire of(Machine machine) {
        return machine.uplink()
                .flatMap(uplink -> wires.find(uplink.id()))
                .orElseThrow(() -> new BoxdException(ErrorCode.WRONG_STATE, "the machine has no network"));
    }
}
