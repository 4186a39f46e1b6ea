package io.boxd.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.worker.BoxEvent;
import io.boxd.worker.Status;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Events as they are asked for and followed. */
@Tag("unit")
class EventsTest {
    private final TestingControl house = new TestingControl();
    private final BoxEvents witness = new BoxEvents(house.chronicle().feed());

    @AfterEach
    void close() {
        house.close();
    }

    private static BoxEvent event(BoxEvent.Kind kind, String box, Status status) {
        return new BoxEvent(
                kind, "bx_" + box, box, Instant.now(), Optional.of(status), "because", Map.of("parent", "bx_0"));
    }

    private void awaitEvents(long count) {
        Deadline deadline = Deadline.inSeconds(30);
        while (house.chronicle().feed().last() < count) {
            assertThat(deadline.passed()).as("the events are on disk in time").isFalse();
            Thread.onSpinWait();
        }
    }

    private List<String> kinds(JsonNode events) {
        return events.path("events")
                .valueStream()
                .map(each -> each.path("kind").asString())
                .toList();
    }

    @Test
    void eventsAreListedFromACursorOn() {
        assertThat(house.say("events", "{}").path("cursor").asLong(-1)).isZero();
        witness.saw(event(BoxEvent.Kind.CREATED, "one", Status.STARTING));
        witness.saw(event(BoxEvent.Kind.READY, "one", Status.RUNNING));
        witness.saw(event(BoxEvent.Kind.PAUSED, "two", Status.STANDBY));
        awaitEvents(3);
        JsonNode all = house.say("events", "{}");
        assertThat(kinds(all)).containsExactly("created", "ready", "paused");
        assertThat(all.path("cursor").asLong()).isEqualTo(3);
        JsonNode first = all.path("events").get(0);
        assertThat(first.toString())
                .contains(
                        "\"box_id\":\"bx_one\"",
                        "\"status\":\"starting\"",
                        "\"cause\":\"because\"",
                        "\"parent\":\"bx_0\"");
        assertThat(kinds(house.say("events", "{'after':1,'limit':1}"))).containsExactly("ready");
        assertThat(kinds(house.say("events", "{'box':'two'}"))).containsExactly("paused");
        assertThat(kinds(house.say("events", "{'after':3}"))).isEmpty();
        assertThatThrownBy(() -> house.say("events", "{'follow':true}")).isInstanceOf(BoxdException.class);
        assertThatThrownBy(() -> house.say("events", "{'limit':100000}")).isInstanceOf(BoxdException.class);
    }

    private Following follow(String said) {
        return house.control().follow(TestingControl.CALLER, "events", TestingControl.object(said));
    }

    @Test
    void whatIsFollowedIsNotCutOff() {
        for (String said : List.of("{'limit':3}", "{'follow':false}", "{'nonsense':1}")) {
            assertThatThrownBy(() -> follow(said)).as(said).isInstanceOf(BoxdException.class);
        }
        assertThatThrownBy(() -> house.control().follow(TestingControl.CALLER, "list", TestingControl.object("{}")))
                .isInstanceOf(BoxdException.class);
    }

    /** What happens while somebody's request is done names it; what happens by itself does not. */
    @Test
    void anEventSaysWhichRequestLedToIt() {
        Caller caller = Caller.of(house.who("bob"), "http", "192.0.2.7", Optional.of("rq_42"));
        CurrentRequest.during(caller, () -> {
            witness.saw(event(BoxEvent.Kind.PAUSED, "one", Status.STANDBY));
            return true;
        });
        witness.saw(event(BoxEvent.Kind.RESUMED, "one", Status.RUNNING));
        awaitEvents(2);
        JsonNode events = house.say("events", "{}").path("events");
        assertThat(events.get(0).path("request_id").asString()).isEqualTo("rq_42");
        assertThat(events.get(1).path("request_id").isNull()).isTrue();
    }

    @Test
    void whoFollowsGetsWhatComes() {
        witness.saw(event(BoxEvent.Kind.CREATED, "one", Status.STARTING));
        awaitEvents(1);
        try (Following following = follow("{'box':'one'}");
                Following again = follow("{'after':0,'follow':true}")) {
            assertThat(following.position()).isEqualTo(1);
            assertThat(following.next(Deadline.inMillis(1))).isEmpty();
            witness.saw(event(BoxEvent.Kind.PAUSED, "two", Status.STANDBY));
            witness.saw(event(BoxEvent.Kind.READY, "one", Status.RUNNING));
            Following.Told told = following.next(Deadline.inSeconds(30)).orElseThrow();
            assertThat(told.id()).isEqualTo(3);
            assertThat(told.json().path("kind").asString()).isEqualTo("ready");
            assertThat(again.next(Deadline.inSeconds(30)).orElseThrow().id()).isEqualTo(1);
            assertThat(again.next(Deadline.inSeconds(30)).orElseThrow().id()).isEqualTo(2);
        }
    }

    @Test
    void aServerThatHasJustStartedTellsWhatTheLastOneCouldNot() {
        witness.saw(event(BoxEvent.Kind.READY, "one", Status.RUNNING));
        witness.saw(event(BoxEvent.Kind.READY, "two", Status.RUNNING));
        witness.saw(event(BoxEvent.Kind.READY, "gone", Status.RUNNING));
        witness.saw(event(BoxEvent.Kind.DESTROYED, "buried", Status.DESTROYED));
        awaitEvents(4);
        witness.found(List.of(
                event(BoxEvent.Kind.NOTICED, "one", Status.RUNNING),
                event(BoxEvent.Kind.NOTICED, "two", Status.HIBERNATED),
                event(BoxEvent.Kind.NOTICED, "never-told-of", Status.RUNNING)));
        awaitEvents(6);
        JsonNode news = house.say("events", "{'after':4}");
        assertThat(kinds(news)).containsExactly("noticed", "destroyed");
        assertThat(news.path("events").get(0).path("box_name").asString()).isEqualTo("two");
        assertThat(news.path("events").get(1).path("box_name").asString()).isEqualTo("gone");
    }
}
