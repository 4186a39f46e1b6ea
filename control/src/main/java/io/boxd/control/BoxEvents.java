package io.boxd.control;

import io.boxd.chronicle.Event;
import io.boxd.chronicle.Feed;
import io.boxd.common.Json;
import io.boxd.worker.BoxEvent;
import io.boxd.worker.BoxWitness;
import io.boxd.worker.Status;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Publishes what happens to boxes.
 *
 * <p>What happened while nobody could tell of it, because the server was killed in the middle, is noticed by the next
 * one: it compares where boxes are with what was told of them last.
 */
public final class BoxEvents implements BoxWitness {
    /** What events can be of. */
    public static final Set<String> KINDS = Stream.concat(
                    Stream.of(BoxEvent.Kind.values()).map(BoxEvent.Kind::wireName),
                    Stream.concat(CertificateEvents.KINDS.stream(), Stream.of(Event.GAP)))
            .collect(Collectors.toCollection(TreeSet::new));

    private static final String LATER = "noticed when the server started";

    private final Feed feed;

    public BoxEvents(Feed feed) {
        this.feed = feed;
    }

    /** An event as webhooks are told of it. */
    public static String body(Event event) {
        return Json.write(HistoryAnswers.event(event));
    }

    @Override
    public void saw(BoxEvent event) {
        publish(event, event.because());
    }

    private void publish(BoxEvent event, String cause) {
        feed.publish(new Event.Draft(
                event.at(),
                event.kind().wireName(),
                Optional.of(event.box()),
                Optional.of(event.name()),
                event.whose().map(BoxEvents::audience),
                event.status().map(Status::wireName),
                cause,
                CurrentRequest.id(),
                event.details()));
    }

    private static Event.Audience audience(BoxEvent.Whose whose) {
        return new Event.Audience(
                whose.owner(), whose.sharing().organisation(), whose.sharing().shared(), whose.labels());
    }

    @Override
    public void found(List<BoxEvent> boxes) {
        Map<String, Event> told = feed.latest();
        for (BoxEvent box : boxes) {
            Event last = told.get(box.box());
            boolean same = last == null || last.status().equals(box.status().map(Status::wireName));
            if (!same) {
                publish(box, LATER + (box.because().isEmpty() ? "" : ": " + box.because()));
            }
        }
        Set<String> there = boxes.stream().map(BoxEvent::box).collect(Collectors.toSet());
        told.values().stream()
                .filter(event -> !there.contains(event.subject().orElse("")))
                .filter(event -> !event.status().equals(Optional.of(Status.DESTROYED.wireName())))
                .forEach(this::gone);
    }

    private void gone(Event last) {
        feed.publish(new Event.Draft(
                Instant.now(),
                BoxEvent.Kind.DESTROYED.wireName(),
                last.subject(),
                last.name(),
                last.audience(),
                Optional.of(Status.DESTROYED.wireName()),
                LATER,
                Optional.empty(),
                Map.of()));
    }
}
