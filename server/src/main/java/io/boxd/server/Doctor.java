package io.boxd.server;

import io.boxd.control.ServerFacts;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Tells what this host has of all that boxd needs, and what to do about the rest. */
final class Doctor {
    private final ServerConfig config;

    Doctor(ServerConfig config) {
        this.config = config;
    }

    /** As programs read it. */
    private record Report(boolean healthy, List<Line> findings) {
        private record Line(String what, String state, String detail, String remedy) {}
    }

    /** Whether boxd can work here. */
    boolean run(boolean json) {
        Optional<String> accelerator =
                new InstanceFiles(config.home()).running().map(ServerFacts::accel);
        List<Finding> findings = new HostCheck(config).all(accelerator);
        boolean healthy = findings.stream().noneMatch(finding -> finding.state() == Finding.State.MISSING);
        if (json) {
            Screen.json(new Report(
                    healthy,
                    findings.stream()
                            .map(finding ->
                                    new Report.Line(finding.what(), state(finding), finding.detail(), finding.remedy()))
                            .toList()));
            return healthy;
        }
        for (Finding finding : findings) {
            Screen.say("%-9s %-20s %s".formatted(state(finding), finding.what(), finding.detail()));
            if (!finding.remedy().isEmpty()) {
                Screen.say("%-9s %-20s → %s".formatted("", "", finding.remedy()));
            }
        }
        Screen.say(healthy ? "boxd can work here." : "boxd cannot work here before what is missing is there.");
        return healthy;
    }

    private static String state(Finding finding) {
        return finding.state().name().toLowerCase(Locale.ROOT);
    }
}
