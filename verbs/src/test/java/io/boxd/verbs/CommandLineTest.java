package io.boxd.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("unit")
final class CommandLineTest {
    private static final CommandLine LINES = new CommandLine(Verbs.withDoors(), path -> "content of " + path);

    @Test
    void optionsStandBeforeOrAfterTheBoxUpToTheCommand() {
        List<List<String>> lines = List.of(
                List.of("exec", "-e", "A=1", "--cwd", "/tmp", "b", "--", "ls", "-l", "--json"),
                List.of("exec", "b", "-eA=1", "--cwd=/tmp", "ls", "-l", "--json"),
                List.of("exec", "--cwd=/tmp", "b", "--env", "A=1", "ls", "-l", "--json"));
        for (List<String> line : lines) {
            Request request = request(line);
            assertThat(request.json()).isFalse();
            assertThat(request.target()).isEqualTo("/v1/boxes/b/exec");
            assertThat(request.fields())
                    .isEqualTo(Map.of("env", Map.of("A", "1"), "cwd", "/tmp", "argv", List.of("ls", "-l", "--json")));
        }
    }

    @Test
    void oneStringIsForAShell() {
        Request request = request("exec", "b", "--json", "cd / && ls");
        assertThat(request.json()).isTrue();
        assertThat(request.body()).isEqualTo("{\"script\":\"cd / && ls\"}");
        assertThat(request("exec", "-t", "b").fields()).isEqualTo(Map.of("tty", true));
        assertThat(request("exec", "-td", "b", "--", "--odd").fields())
                .isEqualTo(Map.of("tty", true, "detach", true, "script", "--odd"));
    }

    @Test
    void valuesAreReadAsTheirTypesSay() {
        Request request = request(
                "new",
                "--name=task-1",
                "--memory",
                "2G",
                "--disk=512MiB",
                "--cpus=4",
                "--idle",
                "off",
                "--hibernate-after=90",
                "--ttl=2h",
                "--checkpoint-every",
                "exec",
                "--label",
                "a=b",
                "--label=c=d=e",
                "--no-wait");
        assertThat(request.target()).isEqualTo("/v1/boxes");
        assertThat(request.fields())
                .isEqualTo(Map.ofEntries(
                        Map.entry("name", "task-1"),
                        Map.entry("memory_bytes", 2L << 30),
                        Map.entry("disk_bytes", 512L << 20),
                        Map.entry("cpus", 4L),
                        Map.entry("idle_after_s", 0L),
                        Map.entry("hibernate_after_s", 90L),
                        Map.entry("ttl_s", 7200L),
                        Map.entry("checkpoint_every", "exec"),
                        Map.entry("labels", Map.of("a", "b", "c", "d=e")),
                        Map.entry("no_wait", true)));
        assertThat(request("kill", "b", "ex_1", "--signal", "sigint").fields()).isEqualTo(Map.of("signal", "INT"));
        assertThat(request("destroy", "a", "--tree", "b").fields())
                .isEqualTo(Map.of("boxes", List.of("a", "b"), "tree", true));
        assertThat(request("image", "build", "tools", "--recipe", "x.toml").fields())
                .isEqualTo(Map.of("name", "tools", "recipe", "content of x.toml"));
        Map<String, @Nullable Object> labels = new HashMap<>();
        labels.put("job", "nightly");
        labels.put("team", null);
        assertThat(request("label", "b", "job=nightly", "team-").fields()).isEqualTo(Map.of("labels", labels));
    }

    @Test
    void whatIsAskedStandsInTheQuery() {
        assertThat(request("ls", "--all", "--label", "a=b c", "--label", "d=e").target())
                .isEqualTo("/v1/boxes?all=true&labels=a%3Db%20c&labels=d%3De");
        assertThat(request("snapshot", "list", "b").target()).isEqualTo("/v1/snapshots?box=b");
        assertThat(request("snapshot", "ls").target()).isEqualTo("/v1/snapshots");
        assertThat(request("snapshot", "rm", "clean").target()).isEqualTo("/v1/snapshots/clean");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            lst                          | no verb 'lst'                     | Did you mean 'list'
            frok b                       | no verb 'frok'                    | Did you mean 'fork'
            snapshot sav b               | no verb 'snapshot sav'            | Did you mean 'snapshot save'
            new --nmae=x                 | no option '--nmae'                | Did you mean --name
            new -x                       | no option '-x'                    | help new
            new --name Task              | small letters                     |
            new --name 3000-app          | does not start with a number      |
            new --name=a --name=b        | given twice                       |
            new --memory many            | a size such as 512M or 8G         |
            new --memory 0               | a size such as                    |
            new --cpus 0                 | a whole number from 1             |
            new --ttl 1y                 | such as 90, 30s, 10m, 2h or 7d    |
            new --ttl 999999d            | from 1s to 3650d                  |
            new --idle later             | or off                            |
            new --checkpoint-every never | before each command               |
            new --label nokey            | key=value                         |
            new --name                   | needs a value: --name NAME        |
            new --no-wait=1              | takes no value                    |
            new --image a --from s       | --image and --from exclude        | Usage
            new box                      | takes no further word: 'box'      | Usage
            exec                         | exec needs BOX                    | Usage
            exec b                       | exec needs COMMAND or --tty       | Usage
            exec b -e 1A=x ls            | NAME=VALUE                        |
            rollback b                   | needs either SNAPSHOT or --before | Usage
            rollback b s --before ex_1   | needs either SNAPSHOT or --before | Usage
            resize b                     | --cpus or --memory or --disk      | Usage
            kill b ex_1 --signal !       | is no signal                      |
            label b team                 | or key- to take it off            |
            info a/../b                  | by its name or its id             |
            """)
    void mistakesAreToldWithWhatIsRight(String line, String message, @Nullable String hint) {
        AbstractThrowableAssert<?, ?> mistake =
                assertThatThrownBy(() -> LINES.parse(List.of(line.split(" ")))).hasMessageContaining(message);
        mistake.asInstanceOf(InstanceOfAssertFactories.type(BoxdException.class))
                .satisfies(e -> {
                    assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
                    assertThat(String.valueOf(e.hint())).contains(hint == null ? "" : hint);
                });
    }

    @Test
    void whatWasTypedIsQuotedHarmlessly() {
        assertThatThrownBy(() -> LINES.parse(List.of("\u001b[31m" + "x".repeat(1000))))
                .hasMessageNotContaining("\u001b")
                .hasMessageMatching(".{0,120}");
    }

    @Test
    void helpIsForAllForAFamilyOrForAVerb() {
        assertThat(LINES.parse(List.of())).isEqualTo(new Said.Help(List.of(), null));
        assertThat(LINES.parse(List.of("--help"))).isEqualTo(new Said.Help(List.of(), null));
        assertThat(LINES.parse(List.of("snapshot")))
                .isInstanceOfSatisfying(
                        Said.Help.class, help -> assertThat(help.verbs()).hasSize(4));
        assertThat(LINES.parse(List.of("exec", "b", "--help")))
                .isInstanceOfSatisfying(
                        Said.Help.class,
                        help -> assertThat(help.verbs())
                                .singleElement()
                                .extracting(Verb::name)
                                .isEqualTo("exec"));
        assertThat(LINES.parse(List.of("exec", "b", "ls", "--help"))).isInstanceOf(Said.Do.class);
        assertThat(LINES.parse(List.of("help", "snapshot", "rm"))).isInstanceOf(Said.Help.class);
    }

    private static Request request(String... line) {
        return request(List.of(line));
    }

    private static Request request(List<String> line) {
        return switch (LINES.parse(line)) {
            case Said.Do done -> done.request();
            case Said.Help help -> throw new AssertionError("help: " + help);
        };
    }
}
