package io.boxd.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Completion by the shells themselves, at a terminal as people type it. */
@Tag("unit")
@Timeout(240)
final class CompletionTest {
    /** What is typed before and after the key that completes, and the words that come of it. */
    private record Case(String before, String after, List<String> words) {}

    private static final List<Case> CASES = List.of(
            new Case("boxd hib", "x", List.of("hibernate", "x")),
            new Case("boxd snapshot sh", "", List.of("snapshot", "show")),
            new Case("boxd exec tas", "ls", List.of("exec", "task-1", "ls")),
            new Case("boxd new --check", "off", List.of("new", "--checkpoint-every", "off")),
            new Case("boxd kill task-1 ex_4", "", List.of("kill", "task-1", "ex_4f0c")),
            new Case("boxd kill task-1 ex_77 --signal=KI", "", List.of("kill", "task-1", "ex_77", "--signal=KILL")),
            new Case("boxd kill task-1 ex_77 --signal KI", "", List.of("kill", "task-1", "ex_77", "--signal", "KILL")),
            new Case("boxd rollback task-1 cl", "", List.of("rollback", "task-1", "clean")),
            new Case("boxd list --context loc", "", List.of("list", "--context", "local")),
            new Case("boxd cp tas", "x y", List.of("cp", "task-1:x", "y")),
            new Case("boxd cp ./fil", "task-1:", List.of("cp", "./file-here", "task-1:")),
            new Case("./boxd exec gol", "ls", List.of("exec", "golden", "ls")));

    @TempDir
    private Path folder;

    private TestingServer server;

    @BeforeEach
    void start() throws IOException {
        server = new TestingServer();
        ProposalsTest.fill(server);
        Files.createFile(folder.resolve("file-here"));
    }

    @AfterEach
    void end() throws IOException {
        server.close();
    }

    private void check(TestingShell shell) throws IOException {
        for (Case each : CASES) {
            assertThat(shell.words(each.before() + "\t" + each.after() + "\n"))
                    .as(each.before())
                    .isEqualTo(each.words());
        }
    }

    @Test
    void bashCompletes() throws IOException {
        try (TestingShell shell = new TestingShell(folder, server.environment(), "bash --norc --noprofile -i")) {
            shell.prepare("source <(boxd completion bash)");
            check(shell);
        }
    }

    @Test
    void zshCompletes() throws IOException {
        try (TestingShell shell = new TestingShell(folder, server.environment(), "zsh -f -i")) {
            shell.prepare("source <(boxd completion zsh)");
            check(shell);
        }
    }

    @Test
    void fishCompletes() throws IOException, InterruptedException {
        TestingShell.installProgram(folder);
        for (Case each : CASES) {
            Process fish = TestingShell.start(
                    folder,
                    server.environment(),
                    List.of(
                            "fish",
                            "--no-config",
                            "-c",
                            "boxd completion fish | source; complete -C '" + each.before() + "'"));
            String said = new String(fish.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(fish.waitFor()).as(said).isZero();
            String last = each.before().substring(each.before().lastIndexOf(' ') + 1);
            String proposal = said.lines().findFirst().orElse("").split("\t", 2)[0];
            assertThat(said.lines()).as(each.before() + ": " + said).hasSize(1);
            assertThat(proposal).startsWith(last);
            assertThat(String.join(" ", each.words())).contains(proposal);
        }
    }
}
