package io.boxd.cli;

import io.boxd.console.BrokenOutputException;
import io.boxd.console.Console;
import io.boxd.console.Proposals;
import java.time.Duration;
import java.util.List;

/** {@code boxd completion} as a program that waits for its server as long as a busy machine needs. */
final class TestingCompletion {
    private static final Duration PATIENCE = Duration.ofSeconds(50);

    private TestingCompletion() {}

    public static void main(String[] words) throws BrokenOutputException {
        List<String> line = List.of(words);
        if (line.size() == 2) {
            Main.main(words);
            return;
        }
        Console console = Consoles.ofProcess();
        Proposals.Next next =
                KnownNames.proposals(console.environment(), PATIENCE).next(line.subList(3, line.size()));
        console.print(Completion.lines(Shell.named(line.get(1)), next));
    }
}
