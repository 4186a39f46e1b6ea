package io.boxd.chronicle;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.Deadline;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Events: their order and numbers, what is kept of them, and what whoever is slow gets. */
@Tag("unit")
final class FeedTest {
    @TempDir
    private Path folder;

    static Event.Draft draft(String kind, String subject) {
        return new Event.Draft(
                Instant.now(),
                kind,
                Optional.of(subject),
                Optional.of("name-of-" + subject),
                Optional.of(new Event.Audience("usr_1", Optional.of("org_1"), true, Map.of("k", "v"))),
                Optional.of("running"),
                "somebody asked for it",
                Optional.of("rq_1"),
                Map.of("parent", "bx_0", "memory_bytes", 1L << 40));
    }

    /** A server that ends waits for what is to be written, and not a moment longer. */
    @Test
    void whatEndsDoesSoAtOnce() {
        long start = System.nanoTime();
        Feed feed = Feed.open(folder);
        feed.publish(draft("created", "bx_1"));
        feed.close();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(4));
        try (Feed again = Feed.open(folder)) {
            assertThat(again.last()).isEqualTo(1);
        }
    }

    @Test
    void whomAnEventConcernsLastsAndEarlierVersionsDidNotSay() throws IOException {
        try (Feed feed = Feed.open(folder)) {
            feed.publish(draft("created", "bx_1"));
        }
        try (Feed feed = Feed.open(folder)) {
            Event event = feed.newest(EventQuestion.all(), 1).getFirst();
            assertThat(event.audience()).isEqualTo(draft("", "").audience());
        }
        Path file;
        try (Stream<Path> files = Files.list(folder)) {
            file = files.findFirst().orElseThrow();
        }
        String earlier = Files.readString(file).replaceFirst("\"audience\":\\{.*?\\}\\},", "");
        assertThat(earlier).doesNotContain("audience");
        Files.writeString(file, earlier);
        try (Feed feed = Feed.open(folder)) {
            Event event = feed.newest(EventQuestion.all(), 1).getFirst();
            assertThat(event.audience()).isEmpty();
            assertThat(event.subject()).contains("bx_1");
        }
    }

    private static Event next(Feed feed, long after) throws InterruptedException {
        return feed.next(after, Deadline.inSeconds(30)).orElseThrow();
    }

    private static long publish(Feed feed, int count) throws InterruptedException {
        long last = feed.last();
        for (int i = 0; i < count; i++) {
            feed.publish(draft("paused", "bx_" + i));
        }
        for (long wanted = last + count; feed.last() < wanted; ) {
            next(feed, feed.last());
        }
        return feed.last();
    }

    @Test
    void eventsComeInOrderAndAreTheSameForTheNextServer() throws Exception {
        List<Event> seen = new ArrayList<>();
        try (Feed feed = Feed.open(folder)) {
            feed.publish(draft("created", "bx_1"));
            feed.publish(draft("ready", "bx_1"));
            feed.publish(draft("paused", "bx_2"));
            for (long after = 0; after < 3; after++) {
                seen.add(next(feed, after));
            }
            assertThat(feed.next(3, Deadline.inMillis(5))).isEmpty();
        }
        assertThat(seen).extracting(Event::sequence).containsExactly(1L, 2L, 3L);
        assertThat(seen).extracting(Event::kind).containsExactly("created", "ready", "paused");
        try (Feed feed = Feed.open(folder)) {
            assertThat(feed.after(0, EventQuestion.all(), 10)).isEqualTo(seen);
            feed.publish(draft("resumed", "bx_2"));
            assertThat(next(feed, 3).sequence()).as("no number comes twice").isEqualTo(4);
            assertThat(feed.newest(
                            new EventQuestion(Optional.empty(), Optional.of("name-of-bx_2"), Set.of(), _ -> true), 10))
                    .extracting(Event::kind)
                    .containsExactly("paused", "resumed");
            assertThat(feed.newest(EventQuestion.all(), 2))
                    .extracting(Event::sequence)
                    .containsExactly(3L, 4L);
            assertThat(feed.latest().values()).extracting(Event::kind).containsExactly("ready", "resumed");
        }
    }

    @Test
    void onlyABoundedNumberIsKeptAndTheRestIsAGap() throws Exception {
        try (Feed feed = Feed.open(folder, 100)) {
            long last = publish(feed, 1000);
            assertThat(last).isEqualTo(1000);
            Event gap = next(feed, 10);
            assertThat(gap.kind()).isEqualTo(Event.GAP);
            assertThat(gap.sequence()).isEqualTo(900);
            assertThat(gap.details()).containsEntry("lost", 890L);
            assertThat(next(feed, gap.sequence()).sequence()).isEqualTo(901);
            assertThat(feed.after(950, EventQuestion.all(), 1000)).hasSize(50);
        }
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files.count()).as("the disk is bounded, too").isLessThanOrEqualTo(3);
        }
        try (Feed feed = Feed.open(folder, 100)) {
            assertThat(feed.last()).isEqualTo(1000);
            assertThat(feed.after(900, EventQuestion.all(), 1000)).hasSize(100);
        }
    }

    @Test
    void aLineThatWasCutOffIsTakenBackAndItsNumberWasSeenByNobody() throws Exception {
        try (Feed feed = Feed.open(folder)) {
            publish(feed, 2);
        }
        Path file = folder.resolve("events-00000001.log");
        Files.writeString(file, "{\"sequence\":3,\"at\":", StandardOpenOption.APPEND);
        try (Feed feed = Feed.open(folder)) {
            feed.publish(draft("woken", "bx_9"));
            assertThat(next(feed, 2).kind()).isEqualTo("woken");
        }
        try (Feed feed = Feed.open(folder)) {
            assertThat(feed.newest(EventQuestion.all(), 10)).hasSize(3);
        }
    }

    @Test
    void publishingNeverWaits() throws IOException {
        try (Feed feed = Feed.open(folder)) {
            long start = System.nanoTime();
            for (int i = 0; i < 50_000; i++) {
                feed.publish(draft("paused", "bx_1"));
            }
            assertThat(Duration.ofNanos(System.nanoTime() - start))
                    .as("as fast as memory, whatever the disk does")
                    .isLessThan(Duration.ofSeconds(5));
        }
        try (Feed feed = Feed.open(folder)) {
            List<Event> all = feed.newest(EventQuestion.all(), Feed.KEPT);
            long told = all.size()
                    + all.stream()
                            .filter(event -> event.kind().equals(Event.GAP))
                            .mapToLong(event -> ((Number) event.details().getOrDefault("lost", 0)).longValue() - 1)
                            .sum();
            assertThat(told + (all.getFirst().sequence() - 1))
                    .as("each was kept, or a gap tells of it")
                    .isEqualTo(50_000);
        }
    }
}
