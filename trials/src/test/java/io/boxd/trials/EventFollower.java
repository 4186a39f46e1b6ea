package io.boxd.trials;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.Deadline;
import io.boxd.common.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/** Somebody who follows events, and after each end of a server goes on behind the last one they have seen. */
final class EventFollower implements AutoCloseable {
    private static final String DATA = "data:";

    private final Door door = new Door();
    private final Api api;
    private final List<JsonNode> seen = new ArrayList<>();
    private final Thread thread = Thread.ofVirtual().unstarted(this::follow);
    private long last;

    /** Begins behind this event. */
    EventFollower(Api api, long after) {
        this.api = api;
        this.last = after;
        thread.start();
    }

    void admit(String url) {
        door.open(url);
    }

    void shutOut() {
        door.shut();
    }

    private void follow() {
        while (!Thread.currentThread().isInterrupted()) {
            try (Stream<String> lines = api.follow(door.enter(), "/events", position())) {
                for (Iterator<String> each = lines.iterator(); each.hasNext(); ) {
                    take(each.next());
                }
            } catch (IOException | UncheckedIOException _) {
                // The server has ended, as it shall; with the next one it goes on.
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private synchronized void take(String line) {
        if (!line.startsWith(DATA)) {
            return;
        }
        JsonNode event = Json.parse(line.substring(DATA.length()));
        if (event.has("sequence")) {
            seen.add(event);
            last = event.path("sequence").asLong();
            notifyAll();
        }
    }

    private synchronized long position() {
        return last;
    }

    /** All events until this one, which comes in time. */
    synchronized List<JsonNode> until(long sequence) throws InterruptedException {
        Deadline deadline = Deadline.inSeconds(120);
        while (last < sequence) {
            assertThat(deadline.passed())
                    .as("event %s in time; %s was the last", sequence, last)
                    .isFalse();
            TimeUnit.NANOSECONDS.timedWait(this, deadline.leftNanos());
        }
        return List.copyOf(seen);
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
