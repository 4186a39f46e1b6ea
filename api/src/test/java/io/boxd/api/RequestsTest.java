package io.boxd.api;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.boxd.common.ErrorCode;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** What every request gets, whatever it asks for: an id, the allowed methods, no permission for other pages. */
@Tag("unit")
class RequestsTest {
    private static final String TOKEN = "Authorization: Bearer " + TestingDoor.SECRET + "\n";

    private final TestingDoor door = new TestingDoor();

    @AfterEach
    void close() {
        door.close();
    }

    private HttpResponse<String> named(String id) throws IOException {
        HttpRequest request =
                door.request("/v1/boxes/nobody").header(RequestId.HEADER, id).build();
        return door.send(request, HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void anIdThatIsGoodIsTaken() throws IOException {
        HttpResponse<String> answer = named("Task-1.attempt_2");
        assertThat(answer.headers().allValues(RequestId.HEADER)).containsExactly("Task-1.attempt_2");
        assertThat(answer.body()).as("errors stay as they are").doesNotContain("Task-1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "a b", "a\"b", "<script>", "é"})
    void anIdThatIsNotIsReplaced(String id) throws IOException {
        String answer =
                door.raw("GET /healthz HTTP/1.1\nHost: localhost\nX-Request-Id: " + id + "\nConnection: close\n\n");
        assertThat(answer).containsPattern("(?i)x-request-id: rq_[0-9a-f]{16}\r\n");
    }

    @Test
    void idsThatAreTooLongOrSaidTwiceAreReplacedAndNoTwoMadeUpOnesAreTheSame() throws IOException {
        String first =
                named("x".repeat(65)).headers().firstValue(RequestId.HEADER).orElseThrow();
        assertThat(first).startsWith("rq_");
        String twice = """
                GET /healthz HTTP/1.1
                Host: localhost
                X-Request-Id: a
                X-Request-Id: b
                Connection: close

                """;
        assertThat(door.raw(twice)).containsPattern("(?i)x-request-id: rq_").doesNotContain(first);
        assertThat(named("x".repeat(64)).headers().firstValue(RequestId.HEADER)).contains("x".repeat(64));
    }

    @Test
    void alsoWhatCannotBeReadHasAnId() throws IOException {
        assertThat(door.raw("GET /v1/boxes/a%zz HTTP/1.1\nHost: localhost\nConnection: close\n\n"))
                .startsWith("HTTP/1.1 400")
                .containsPattern("(?i)x-request-id: rq_");
    }

    @Test
    void theLogNamesTheRequestThatFailed() throws IOException {
        Logger log = (Logger) LoggerFactory.getLogger(Errors.class);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        log.addAppender(lines);
        try {
            door.house().failWith(ErrorCode.INTERNAL);
            assertThat(named("find-me").statusCode()).isEqualTo(500);
        } finally {
            log.detachAppender(lines);
        }
        assertThat(lines.list)
                .singleElement()
                .satisfies(line -> assertThat(line.getFormattedMessage()).contains("find-me"));
    }

    @Test
    void anotherMethodIsToldWhichThereAre() throws IOException {
        TestingDoor.Answer answer = door.say("PATCH", "/v1/boxes", "");
        assertThat(answer.status()).isEqualTo(405);
        assertThat(answer.header("Allow")).isEqualTo("GET, POST");
        assertThat(door.say("DELETE", "/v1/boxes/a/logs", "").header("Allow")).isEqualTo("GET");
        assertThat(door.raw("TRACE /v1/boxes HTTP/1.1\nHost: localhost\n" + TOKEN + "Connection: close\n\n"))
                .startsWith("HTTP/1.1 405");
    }

    /** No page elsewhere gets an answer, nor the permission to ask; not even one that has the token. */
    @Test
    void pagesOfOthersGetNoPermission() throws IOException {
        String asking = """
                Origin: https://evil.example
                Access-Control-Request-Method: GET
                Access-Control-Request-Headers: authorization
                Connection: close

                """;
        for (String line : new String[] {"OPTIONS /v1/boxes", "GET /v1/boxes", "GET /healthz", "GET /openapi.json"}) {
            String answer = door.raw(line + " HTTP/1.1\nHost: localhost\n" + TOKEN + asking);
            assertThat(answer).as(line).startsWith("HTTP/1.1 403");
            assertThat(answer.toLowerCase(java.util.Locale.ROOT)).doesNotContain("access-control-");
        }
        String own = door.raw("GET /v1/boxes HTTP/1.1\nHost: localhost:1\n" + TOKEN
                + "Origin: http://localhost:1\nConnection: close\n\n");
        assertThat(own).startsWith("HTTP/1.1 200");
        assertThat(own.toLowerCase(java.util.Locale.ROOT)).doesNotContain("access-control-");
    }
}
