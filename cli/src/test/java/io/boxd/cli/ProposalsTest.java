package io.boxd.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.console.Proposals;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is proposed for lines that are being typed. */
@Tag("unit")
@Timeout(60)
final class ProposalsTest {
    /** Whatever else the machine does. */
    private static final Duration PATIENCE = Duration.ofSeconds(50);

    private static TestingServer server;

    @BeforeAll
    static void start() throws IOException {
        server = new TestingServer();
        fill(server);
    }

    static void fill(TestingServer server) {
        server.json(
                "GET /v1/boxes",
                200,
                "[{\"name\":\"task-1\",\"status\":\"running\"},{\"name\":\"golden\",\"status\":\"standby\"},"
                        + "{\"name\":\"$(evil)\",\"status\":\"x\"},{\"name\":\"a b\"}]");
        server.json(
                "GET /v1/snapshots",
                200,
                "[{\"id\":\"sn_1\",\"label\":\"clean\",\"box_name\":\"golden\"},{\"id\":\"sn_2\",\"label\":null}]");
        server.json(
                "GET /v1/boxes/task-1/executions",
                200,
                "[{\"exec_id\":\"ex_4f0c\",\"command\":[\"sleep\",\"9\"]},{\"exec_id\":\"ex_77\"}]");
        server.json("GET /v1/webhooks", 200, "[{\"id\":\"wh_1\",\"url\":\"https://example.org/boxd\"}]");
        server.json("GET /v1/images", 200, "[{\"name\":\"base\"},{\"name\":\"tools\"}]");
    }

    @AfterAll
    static void end() throws IOException {
        server.close();
    }

    private static String words(Map<String, String> environment, List<String> line) {
        Proposals.Next next = KnownNames.proposals(environment, PATIENCE).next(line);
        Stream<String> words = next.words().stream().map(Proposals.Proposal::word);
        return String.join(
                " ",
                Stream.concat(words, next.files() ? Stream.of("FILES") : Stream.of())
                        .toList());
    }

    /** The line ends where the cursor is: after a blank nothing is typed yet. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            'hi'                          | hibernate
            'context '                    | list use rm
            'snapshot s'                  | save show
            'snap'                        | snapshot
            'help sn'                     | snapshot
            'help snapshot r'             | rm
            'exec '                       | task-1 golden
            'exec t'                      | task-1
            'ls --'                       | --all --label --context --json --help
            'list --all --'               | --all --label --context --json --help
            'rm task-1 '                  | golden
            'exec task-1 '                | ''
            'exec task-1 ls '             | ''
            'exec task-1 ls --'           | ''
            'exec -e A=1 --cwd / '        | task-1 golden
            'exec --ti'                   | --timeout
            'rollback task-1 '            | clean sn_2
            'rollback task-1 --before '   | ex_4f0c ex_77
            'rollback task-1 --before=ex_4' | --before=ex_4f0c
            'attach task-1 ex_7'          | ex_77
            'attach '                     | task-1 golden
            'kill task-1 ex_77 --signal K' | KILL
            'kill task-1 ex_77 --signal=US' | --signal=USR1 --signal=USR2
            'new --image '                | base tools
            'new --from=c'                | --from=clean
            'new --name '                 | ''
            'new --checkpoint-every '     | exec off
            'idle task-1 '                | off
            'completion '                 | bash zsh fish
            'cp '                         | task-1: golden: FILES
            'cp ./x g'                    | golden: FILES
            'image build x --recipe '     | FILES
            'up --config '                | FILES
            'up --c'                      | --config
            'context use '                | local
            'list --context '             | local
            'nonsense '                   | ''
            'nonsense x '                 | ''
            'list -- '                    | ''
            'webhook '                    | add list rm test dead
            'webhook dead r'              | retry rm
            'webhook dead retry '         | wh_1
            'audit '                      | verify --follow --since --box --verb --after --limit --context --json --help
            'audit --ver'                 | --verb
            'audit verify '               | --context --json --help
            """)
    void eachPlaceHasItsWords(String line, String words) {
        assertThat(words(server.environment(), List.of(line.split(" ", -1)))).isEqualTo(words);
    }

    @Test
    void theFirstWordIsAVerb() {
        assertThat(words(server.environment(), List.of("")).split(" "))
                .contains("new", "snapshot", "login", "help", "man")
                .doesNotHaveDuplicates();
        assertThat(KnownNames.proposals(server.environment(), PATIENCE)
                        .next(List.of("fork"))
                        .words())
                .containsExactly(new Proposals.Proposal("fork", "copy a running box, memory and processes included"));
    }

    @Test
    void whateverGoesWrongThereAreJustNoNames() throws IOException {
        assertThat(words(Map.of("BOXD_HOME", "/nowhere"), List.of("exec", ""))).isEmpty();
        Map<String, String> wrong = new HashMap<>(server.environment());
        wrong.put("BOXD_TOKEN", "wrong");
        assertThat(words(wrong, List.of("exec", ""))).isEmpty();
        assertThat(words(server.environment(), List.of("exec", "--context", "x", "")))
                .isEmpty();
        Ran ran = Ran.line(Map.of("BOXD_HOME", "/nowhere"), "completion", "bash", "--", "exec", "");
        assertThat(ran).isEqualTo(new Ran(0, "", ""));
    }

    @Test
    void aSlowServerIsNotWaitedFor() throws IOException {
        try (TestingServer slow = new TestingServer()) {
            slow.on("GET /v1/boxes", (heard, exchange) -> {
                try (OutputStream output = exchange.chunks(Map.of())) {
                    output.write('[');
                    output.flush();
                    exchange.text(); // which never comes
                }
            });
            Proposals impatient = KnownNames.proposals(slow.environment(), Duration.ofMillis(300));
            assertThat(impatient.next(List.of("exec", ""))).isEqualTo(Proposals.Next.NOTHING);
        }
    }

    @Test
    void eachShellGetsItsOwnForm() {
        Map<String, String> here = server.environment();
        Proposals proposals = KnownNames.proposals(here, PATIENCE);
        Proposals.Next copied = proposals.next(List.of("cp", "g"));
        assertThat(Completion.lines(Shell.BASH, copied)).isEqualTo("golden:\n:\n");
        assertThat(Completion.lines(Shell.ZSH, copied)).isEqualTo("golden\\::standby\n:\n");
        assertThat(Completion.lines(Shell.FISH, proposals.next(List.of("exec", "g"))))
                .isEqualTo("golden\tstandby\n");
        assertThat(Ran.line(here, "completion", "bash", "--", "hib").output()).isEqualTo("hibernate\n");
        Ran unknown = Ran.line(here, "completion", "tcsh");
        assertThat(unknown.status()).isEqualTo(2);
        assertThat(unknown.errors()).contains("'tcsh' cannot be right: say bash, zsh or fish");
    }
}
