package io.boxd.server;

import io.boxd.network.WireConfig;
import io.boxd.vmm.EngineConfig;
import java.util.List;

/** Where an instance keeps what, and what it shares with others on this host. */
final class InstancePaths {
    private static final int WIRES_READY = 2;

    private InstancePaths() {}

    static EngineConfig engine(ServerConfig config, Programs programs) {
        return new EngineConfig(
                config.home(), config.imageCache(), config.registry(), programs.launcher(), programs.preload());
    }

    static WireConfig wires(ServerConfig config) {
        return new WireConfig(
                config.home(),
                config.registry(),
                WireConfig.DEFAULT_RANGE,
                WIRES_READY,
                config.uplinks(),
                List.of(),
                WireConfig.DEFAULT_RESOLVER_PORT,
                WireConfig.DEFAULT_CONNECTIONS);
    }
}
