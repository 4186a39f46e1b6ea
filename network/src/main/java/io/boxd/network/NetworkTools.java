package io.boxd.network;

import io.boxd.common.Deadline;
import io.boxd.linux.Command;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The two programs that change the network: ip and nft, several lines a call, here or in a namespace. */
final class NetworkTools {
    private final List<String> prefix;

    private NetworkTools(List<String> prefix) {
        this.prefix = List.copyOf(prefix);
    }

    /** For work that somebody waits for. */
    static NetworkTools prompt() {
        return new NetworkTools(List.of());
    }

    /** For work ahead of time, which must not slow down anybody. */
    static NetworkTools inBackground() {
        return new NetworkTools(List.of("nice", "-n", "15"));
    }

    void ip(List<String> lines, Deadline deadline) {
        run(List.of("ip", "-batch", "-"), lines, deadline);
    }

    void ipIn(String namespace, List<String> lines, Deadline deadline) {
        run(List.of("ip", "-netns", namespace, "-batch", "-"), lines, deadline);
    }

    void nft(String script, Deadline deadline) {
        run(List.of("nft", "-f", "-"), List.of(script), deadline);
    }

    void nftIn(Path namespace, String script, Deadline deadline) {
        run(List.of("nsenter", "--net=" + namespace, "nft", "-f", "-"), List.of(script), deadline);
    }

    /** All rules of the host, in JSON. */
    String rules(Deadline deadline) {
        return run(List.of("nft", "-j", "list", "ruleset"), List.of(), deadline);
    }

    String rulesIn(Path namespace, Deadline deadline) {
        return run(List.of("nsenter", "--net=" + namespace, "nft", "-j", "list", "ruleset"), List.of(), deadline);
    }

    private String run(List<String> words, List<String> lines, Deadline deadline) {
        List<String> command = new ArrayList<>(prefix);
        command.addAll(words);
        String input = String.join("\n", lines) + "\n";
        return Command.of(command).withInput(input).check(deadline).output();
    }
}
