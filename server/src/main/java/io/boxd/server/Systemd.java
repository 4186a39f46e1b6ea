package io.boxd.server;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.linux.Command;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The units of the instance on a host that systemd runs.
 *
 * <p>Two of them: the server, whose end leaves boxes alone, and one that does nothing until the host goes down; then
 * it is stopped first, and that hibernates the boxes while the server still runs. The next server wakes them.
 */
final class Systemd {
    static final String SERVER_UNIT = "boxd.service";
    static final String BOXES_UNIT = "boxd-boxes.service";

    private static final Path UNITS = Path.of("/etc/systemd/system");

    private Systemd() {}

    /** Whether it runs this host, not only happens to be installed. */
    static boolean runs() {
        return Files.isDirectory(Path.of("/run/systemd/system"));
    }

    static String serverUnit(List<String> serve) {
        return """
                [Unit]
                Description=boxd: instant, persistent, forkable Linux machines
                Documentation=man:boxd(1)
                After=network-online.target
                Wants=network-online.target

                [Service]
                Type=exec
                ExecStart=%s
                Restart=on-failure
                RestartSec=2
                # Machines outlive the server.
                KillMode=process
                # How a Java program ends after SIGTERM, which is how boxd down ends it.
                SuccessExitStatus=143
                TimeoutStopSec=20min
                LimitNOFILE=1048576
                TasksMax=infinity
                Delegate=yes

                [Install]
                WantedBy=multi-user.target
                """.formatted(escaped(serve));
    }

    static String boxesUnit(List<String> down) {
        return """
                [Unit]
                Description=Hibernates the boxes of boxd before the host goes down
                # Stopped in the opposite order: first this, then the server.
                After=boxd.service network-online.target

                [Service]
                Type=oneshot
                RemainAfterExit=yes
                ExecStart=/bin/true
                ExecStop=%s
                TimeoutStopSec=20min

                [Install]
                WantedBy=multi-user.target
                """.formatted(escaped(down));
    }

    private static String escaped(List<String> line) {
        return line.stream()
                .map(word -> '"'
                        + word.replace("\\", "\\\\")
                                .replace("\"", "\\\"")
                                .replace("%", "%%")
                                .replace("$", "$$")
                        + '"')
                .collect(Collectors.joining(" "));
    }

    /** Writes both units and starts them. */
    static void start(List<String> serve, List<String> down, Deadline deadline) {
        write(UNITS.resolve(SERVER_UNIT), serverUnit(serve));
        write(UNITS.resolve(BOXES_UNIT), boxesUnit(down));
        Command.of("systemctl", "daemon-reload").check(deadline);
        Command.of("systemctl", "enable", "--quiet", SERVER_UNIT, BOXES_UNIT).check(deadline);
        Command.of("systemctl", "restart", SERVER_UNIT).check(deadline);
        Command.of("systemctl", "start", BOXES_UNIT).check(deadline);
    }

    private static void write(Path file, String text) {
        try {
            Files.write(file, text.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.INTERNAL, "cannot write " + file, e);
        }
    }
}
