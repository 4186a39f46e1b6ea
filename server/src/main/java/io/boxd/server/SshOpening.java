package io.boxd.server;

import io.boxd.control.Control;
import io.boxd.control.ServerFacts;
import io.boxd.ssh.SshConfig;
import io.boxd.ssh.SshDoors;
import java.util.Optional;

/** Opens the doors of SSH, where they are wanted. */
final class SshOpening {
    private static final String HERE = "localhost";

    private SshOpening() {}

    static Optional<SshDoors> open(ServerConfig config, Control control) {
        return config.sshPort()
                .map(port -> SshDoors.open(
                        new SshConfig(
                                config.bind(), port, config.home().resolve("ssh"), config.domain(), Version.text()),
                        control));
    }

    /** Programs other than browsers do not know that names below localhost are this host. */
    static ServerFacts.Ssh facts(ServerConfig config, SshDoors doors) {
        boolean here = config.domain().equals(HERE) || config.domain().endsWith("." + HERE);
        return new ServerFacts.Ssh(here ? HERE : config.domain(), doors.port(), doors.alias(), doors.authority());
    }
}
