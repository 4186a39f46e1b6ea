package io.boxd.ssh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.verbs.Request;
import io.boxd.verbs.Said;
import java.io.InputStream;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What lines mean that came as one text. */
@Tag("unit")
final class LineWordsTest {
    private static Request request(String line) {
        Said said = LineWords.parse(line, DoorVerbs.lines(InputStream::nullInputStream));
        assertThat(said).isInstanceOf(Said.Do.class);
        return ((Said.Do) said).request();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '%', quoteCharacter = '`', textBlock = """
            exec task-1 uname -a                    % uname -a
            exec task-1 -- uname -a                 % uname -a
            exec task-1 cd /app && make | tee log  % cd /app && make | tee log
            exec task-1 'cd /app && make'           % cd /app && make
            exec task-1 "echo 'a  b'"               % echo 'a  b'
            exec task-1 echo 'a  b' c               % echo 'a  b' c
            exec task-1 echo it's                   % echo it's
            exec task-1 --cwd /app -e A=1 -- ls  -l % ls  -l
            exec -t task-1 ls --json                % ls --json
            exec task-1 -- -strange                 % -strange
            """)
    void aCommandGoesToTheShellAsItWasSent(String line, String command) {
        assertThat(request(line).values().get("command")).isEqualTo(List.of(command));
    }

    @Test
    void otherWordsAreTakenApartAsInAShell() {
        Request request = request("new --name 'task-9' -e \"A=b c\" -e D=e\\ f --label job=x");
        assertThat(request.text("name")).isEqualTo("task-9");
        assertThat(request.values().get("env")).hasToString("{A=b c, D=e f}");
        assertThat(request("exec task-1 -e 'A=it'\"'\"'s' -t").values().get("env"))
                .hasToString("{A=it's}");
    }

    @Test
    void whatIsNotFinishedIsRefused() {
        assertThatThrownBy(() -> request("info 'task-1")).hasMessage("a quote is not closed");
        assertThatThrownBy(() -> request("up")).hasMessage("there is no verb 'up'");
        assertThatThrownBy(() -> request("key add ~/.ssh/id.pub")).hasMessageContaining("files of your machine");
    }

    @Test
    void theLastWordIsTheOneThatIsTyped() {
        assertThat(LineWords.begun("")).containsExactly("");
        assertThat(LineWords.begun("exec ta")).containsExactly("exec", "ta");
        assertThat(LineWords.begun("exec task-1 ")).containsExactly("exec", "task-1", "");
        assertThat(LineWords.begun("exec 'task-1 ")).containsExactly("exec", "task-1 ");
    }
}
