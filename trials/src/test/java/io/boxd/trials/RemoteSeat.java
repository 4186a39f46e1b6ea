package io.boxd.trials;

import io.boxd.linux.FileOwner;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/**
 * Somebody elsewhere: a user without rights, with the command, a configuration of their own and a token that is for
 * boxes only, who knows a server by its address and its certificate.
 */
final class RemoteSeat extends Seat implements AutoCloseable {
    private static final String USER = "65532";

    /** What boxes are used with, and no more. */
    private static final String SCOPE = "boxes,commands,sleep,time,status";

    private final String tokenId;

    private RemoteSeat(Path folder, String tokenId) {
        super(
                folder,
                List.of(
                        "setpriv",
                        "--reuid",
                        USER,
                        "--regid",
                        USER,
                        "--clear-groups",
                        "env",
                        "-i",
                        "PATH=/usr/bin:/bin",
                        "HOME=" + folder.resolve("person"),
                        "XDG_CONFIG_HOME=" + folder.resolve("configuration")),
                Map.of());
        this.tokenId = tokenId;
    }

    /** A port that was free a moment ago: whoever logs in from elsewhere wants to find the next server there, too. */
    static Map<String, String> port() throws IOException {
        try (ServerSocket free = new ServerSocket(0)) {
            return Map.of("BOXD_HTTPS_PORT", Integer.toString(free.getLocalPort()));
        }
    }

    /** Logs in to a server that runs. */
    static RemoteSeat at(Instance instance) throws IOException {
        Path folder = Files.createTempDirectory("boxd-seat");
        JsonNode made = instance.json("./boxd token create elsewhere --verbs " + SCOPE + " --json");
        RemoteSeat seat = new RemoteSeat(folder, made.path("id").asString());
        // The tree may be where only root may go.
        String program = Instance.REPOSITORY.resolve("target/program").toString();
        instance.must("cd " + program + " && mkdir " + folder
                + "/program && cp -rP launch runtime lib cli.jars cli.jsa " + folder + "/program");
        Files.writeString(folder.resolve("boxd"), "#!/bin/sh\nexec " + folder + "/program/launch \"$@\"\n");
        Files.writeString(folder.resolve("given"), made.path("token").asString());
        instance.must("cp home/authority.pem " + folder + "/ca.pem; chmod 755 " + folder + "/boxd; chown -R " + USER
                + " " + folder);
        int port = instance.json("./boxd status --json")
                .path("ports")
                .path("https")
                .asInt();
        seat.must("./boxd login https://localhost:" + port + " --name server --ca ca.pem --token-stdin < given");
        Files.delete(folder.resolve("given"));
        return seat;
    }

    /** By which the audit knows what was done from here. */
    String tokenId() {
        return tokenId;
    }

    @Override
    public void close() {
        FileOwner.deleteTree(folder());
    }
}
