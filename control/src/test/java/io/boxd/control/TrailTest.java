package io.boxd.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.accounts.TestingAccounts;
import io.boxd.chronicle.StalledWriter;
import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.verbs.Verb;
import io.boxd.verbs.Verbs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** What the audit has of what was said, and what it must never have. */
@Tag("unit")
class TrailTest {
    private final TestingControl house = new TestingControl();

    @AfterEach
    void close() {
        house.close();
    }

    private List<JsonNode> deeds() {
        List<JsonNode> deeds = new ArrayList<>();
        house.say("audit", "{}").forEach(entry -> {
            if (entry.path("kind").asString().equals("deed")) {
                deeds.add(entry);
            }
        });
        return deeds;
    }

    private List<String> shown() {
        return deeds().stream()
                .map(deed -> deed.path("verb").asString() + " "
                        + deed.path("box_name").asString("-") + " "
                        + deed.path("outcome").asString())
                .toList();
    }

    @Test
    void whatChangesSomethingIsWrittenDownWithWhoAndHowItEnded() {
        Caller stranger = Caller.stranger("http", "192.0.2.7", Optional.of("rq_42"));
        Caller somebody =
                house.control().identify(stranger, new Credential.Token(TestingAccounts.ADMINISTRATORS_TOKEN));
        house.control().call(somebody, "new", TestingControl.object("{'name':'one'}"));
        house.say("fork", "{'box':'one','name':'two'}");
        house.say("pause", "{'box':'two'}");
        house.say("list", "{}");
        assertThatThrownBy(() -> house.say("pause", "{'box':'nobody'}")).isInstanceOf(BoxdException.class);
        house.say("destroy", "{'boxes':['one'],'tree':true}");
        assertThat(shown())
                .containsExactly(
                        "new one ok",
                        "fork one ok",
                        "pause two ok",
                        "pause nobody not_found",
                        "destroy one ok",
                        "destroy - ok");
        JsonNode first = deeds().getFirst();
        assertThat(first.path("account").asString()).isEqualTo("ada");
        assertThat(first.path("token_id").asString()).isEqualTo("tok_local");
        assertThat(first.path("remote").asString()).isEqualTo("192.0.2.7");
        assertThat(first.path("request_id").asString()).isEqualTo("rq_42");
        assertThat(first.path("box_id").asString()).startsWith("bx_");
        assertThat(first.path("duration_ms").isNumber()).isTrue();
        assertThat(house.say("audit verify", "{}").path("whole").asBoolean()).isTrue();
        assertThat(house.say("audit", "{'box':'two'}")).hasSize(1);
        assertThat(house.say("audit", "{'verb':'fork'}")).hasSize(1);
    }

    @Test
    void nothingOfWhatWasSaidGetsInByItself() {
        Set<String> secrets =
                Set.of("s3cret-value", "s3cret-script", "s3cret-label", "s3cret-webhook-1", "s3cret-path");
        house.say("new", "{'name':'one','env':{'TOKEN':'s3cret-value'},'labels':{'a':'s3cret-label'}}");
        house.boxes().move("one", io.boxd.worker.Move.STOP, io.boxd.common.Deadline.inSeconds(5));
        for (String field : List.of("'script':'s3cret-script'", "'argv':['s3cret-script']")) {
            assertThatThrownBy(() -> house.say("exec", "{'box':'one'," + field + "}"))
                    .isInstanceOf(BoxdException.class);
        }
        house.say("webhook add", "{'url':'https://example.org/s3cret-path','secret':'s3cret-webhook-1'}");
        assertThatThrownBy(() -> house.control()
                        .files(TestingControl.CALLER)
                        .read(
                                new BoxFiles.Place("one", "s3cret-path", Optional.empty()),
                                io.boxd.guest.ReadOptions.all()))
                .isInstanceOf(BoxdException.class);
        assertThat(shown())
                .containsExactly(
                        "new one ok",
                        "exec one wrong_state",
                        "exec one wrong_state",
                        "webhook add - ok",
                        "file read one wrong_state");
        String all = deeds().stream().map(JsonNode::toString).collect(Collectors.joining("\n"));
        secrets.forEach(secret -> assertThat(all).doesNotContain(secret));
    }

    @Test
    void whatIsDoneForARequestKnowsWhich() {
        Caller somebody = Caller.of(house.who("bob"), "http", "192.0.2.7", Optional.of("rq_42"));
        Trail trail = new Trail(house.chronicle().audit(), house.boxes());
        assertThat(trail.ofFiles(somebody, "file read", false, "one", CurrentRequest::id))
                .contains("rq_42");
        assertThat(CurrentRequest.id()).isEmpty();
    }

    /** A disk that stands still holds up nobody who runs a command, nor one who reads. */
    @Test
    void commandsNeverWaitForTheAudit() throws InterruptedException {
        house.boxes().add("one");
        StalledWriter disk = new StalledWriter(house.chronicle().audit());
        Trail trail = new Trail(house.chronicle().audit(), house.boxes());
        Verb exec = Verbs.named("exec").orElseThrow();
        int commands = 10_000; // more than there is room for
        long start = System.nanoTime();
        for (int i = 0; i < commands; i++) {
            trail.of(
                    TestingControl.CALLER,
                    exec,
                    TestingControl.object("{'box':'one'}"),
                    () -> true,
                    _ -> Trail.Traces.none());
        }
        assertThat(Duration.ofNanos(System.nanoTime() - start))
                .as("less than the disk stands still, or than one would wait that has to")
                .isLessThan(Duration.ofSeconds(4));
        disk.goOn();
        assertThat(house.say("audit verify", "{}").path("lost").asLong()).isPositive();
    }

    @Test
    void whoeverIsTurnedAwayIsWrittenDown() {
        Caller stranger = Caller.stranger("http", "203.0.113.9", Optional.empty());
        house.control()
                .refused(
                        stranger,
                        "GET /v1/boxes",
                        new BoxdException(ErrorCode.UNAUTHENTICATED, "the request carries no valid token"));
        JsonNode deed = deeds().getFirst();
        assertThat(deed.path("account").asString()).isEqualTo("unknown");
        assertThat(deed.path("remote").asString()).isEqualTo("203.0.113.9");
        assertThat(deed.path("outcome").asString()).isEqualTo("unauthenticated");
    }
}
