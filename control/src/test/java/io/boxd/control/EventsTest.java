package io.boxd.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.accounts.OrganisationRow;
import io.boxd.accounts.Principal;
import io.boxd.accounts.Scopes;
import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.worker.BoxEvent;
import io.boxd.worker.Sharing;
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
        return event(kind, box, Optional.empty(), status);
    }

    private static BoxEvent event(BoxEvent.Kind kind, String box, Optional<BoxEvent.Whose> whose, Status status) {
        return new BoxEvent(
                kind, "bx_" + box, box, whose, Instant.now(), Optional.of(status), "because", Map.of("parent", "bx_0"));
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

    private List<String> told(Principal who, String said) {
        Caller caller = Caller.of(who, "test", "127.0.0.1", Optional.empty());
        return house.control()
                .call(caller, "events", TestingControl.object(said))
                .path("events")
                .valueStream()
                .map(each -> each.path("box_name").asString())
                .toList();
    }

    private void buried(String box, String owner, Sharing sharing) {
        BoxEvent.Whose whose = new BoxEvent.Whose("usr_" + owner, sharing, Map.of("job", box));
        witness.saw(event(BoxEvent.Kind.DESTROYED, box, Optional.of(whose), Status.DESTROYED));
    }

    /** What became of one's own boxes is told also when they are gone; of others' boxes still nothing. */
    @Test
    void boxesThatAreGoneAreTheirOwners() {
        house.say("org create", "{'name':'red'}");
        house.say("org add", "{'org':'red','user':'cy'}");
        Optional<String> red = house.accounts().rows().organisationNamed("red").map(OrganisationRow::id);
        buried("of-bob", "bob", Sharing.none());
        buried("of-cy", "cy", Sharing.none());
        buried("of-ada", "ada", Sharing.none());
        buried("private-in-red", "ada", new Sharing(red, false));
        buried("shared-in-red", "ada", new Sharing(red, true));
        witness.saw(event(BoxEvent.Kind.DESTROYED, "of-nobody", Status.DESTROYED));
        awaitEvents(6);
        assertThat(told(house.who("bob"), "{}")).containsExactly("of-bob");
        assertThat(told(house.who("cy"), "{}")).containsExactly("of-cy", "shared-in-red");
        assertThat(told(house.who("ada"), "{}")).hasSize(6);
        Scopes others = Scopes.said(List.of(), Map.of("job", "another"), false);
        Principal limited = new Principal("usr_bob", "bob", false, Map.of(), others, Optional.empty());
        assertThat(told(limited, "{}")).isEmpty();
        Caller bob = Caller.of(house.who("bob"), "test", "127.0.0.1", Optional.empty());
        try (Following following = house.control().follow(bob, "events", TestingControl.object("{'after':0}"))) {
            Following.Told told = following.next(Deadline.inSeconds(30)).orElseThrow();
            assertThat(told.json().path("box_name").asString()).isEqualTo("of-bob");
            assertThat(following.next(Deadline.inMillis(50))).isEmpty();
        }
    }

    /** A box that is there is seen by whoever may see it now, not by whoever might have when it happened. */
    @Test
    void boxesThatAreThereAreThoseWhoSeeThemNow() {
        house.boxes().add("a");
        String id = house.boxes().find("a").id();
        BoxEvent.Whose bobs = new BoxEvent.Whose("usr_bob", Sharing.none(), Map.of());
        witness.saw(new BoxEvent(
                BoxEvent.Kind.READY,
                id,
                "a",
                Optional.of(bobs),
                Instant.now(),
                Optional.of(Status.RUNNING),
                "because",
                Map.of()));
        awaitEvents(1);
        assertThat(told(house.who("bob"), "{}")).isEmpty();
        assertThat(told(house.who("ada"), "{}")).containsExactly("a");
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
