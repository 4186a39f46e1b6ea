package io.boxd.control;

import io.boxd.worker.Box;
import io.boxd.worker.Claim;
import org.jspecify.annotations.Nullable;

/** A box without a machine: what is said of it, and its agent while it has one. */
final class TestingBox {
    private Box box;
    private @Nullable AgentProcess agent;

    TestingBox(Box box) {
        this.box = box;
    }

    Box box() {
        return box;
    }

    Claim claim() {
        return new Claim(box.id(), box.owner(), box.sharing().organisation(), box.size());
    }

    void become(Box changed) {
        box = changed;
    }

    boolean hasAgent() {
        return agent != null;
    }

    AgentProcess agent() {
        AgentProcess running = agent == null ? AgentProcess.start() : agent;
        agent = running;
        return running;
    }

    void endAgent() {
        if (agent != null) {
            agent.close();
            agent = null;
        }
    }
}
