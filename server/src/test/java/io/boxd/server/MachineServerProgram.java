package io.boxd.server;

import java.time.Duration;
import java.util.Optional;

/** A server with real machines in a process of its own, to be killed. */
final class MachineServerProgram {
    private MachineServerProgram() {}

    public static void main(String[] words) throws InterruptedException {
        ServerConfig config = Configuration.read(Optional.empty(), System.getenv());
        Server server = Server.open(config, new MachineRooms(config));
        Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(server::close));
        boolean ended = false;
        while (!ended) {
            ended = server.awaitEnd(Duration.ofMinutes(1));
        }
    }
}
