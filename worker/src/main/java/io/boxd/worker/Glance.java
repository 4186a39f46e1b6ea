package io.boxd.worker;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.guest.AgentConnection;
import io.boxd.vmm.Machine;

/** A look at a box that runs, which keeps nobody awake. */
record Glance(Box box, Machine machine) implements Hold {
    static Glance at(HostedBox hosted, Views views) {
        if (!hosted.isThere()) {
            throw new BoxdException(ErrorCode.WRONG_STATE, hosted.name() + " does not run now");
        }
        return new Glance(views.of(hosted), hosted.requireMachine());
    }

    @Override
    public AgentConnection agent() {
        return machine.agent();
    }

    @Override
    public void touch() {}

    @Override
    public void close() {}
}
