package io.boxd.chronicle;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** Writes into a chronicle as fast as it can, and says which events it has seen there, until it is killed. */
final class ChronicleWriter {
    static final String SECRET = "a-secret-for-tests";

    private ChronicleWriter() {}

    static String body(Event event) {
        return event.sequence() + " " + event.cause();
    }

    static Chronicle open(Path home) {
        return Chronicle.open(home, ChronicleWriter::body, _ -> true);
    }

    public static void main(String[] words) throws InterruptedException {
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
        try (Chronicle chronicle = open(Path.of(words[0]))) {
            if (chronicle.webhooks().list().isEmpty()) {
                chronicle.webhooks().add(words[1], List.of(), Optional.of(SECRET));
            }
            Feed feed = chronicle.feed();
            long seen = feed.last();
            for (int turn = 1; ; turn++) {
                for (int i = 0; i < 3; i++) {
                    feed.publish(new Event.Draft(
                            Instant.now(),
                            "paused",
                            Optional.of("bx_1"),
                            Optional.of("one"),
                            Optional.empty(),
                            Optional.empty(),
                            UUID.randomUUID().toString(),
                            Optional.empty(),
                            Map.of()));
                    chronicle.audit().noteSurely(AuditSample.deed("pause", "one"));
                }
                if (turn % 4 == 0) {
                    // Otherwise whoever is killed soon would never have written any.
                    chronicle.audit().settled(AuditSample.soon());
                }
                Optional<Event> event = feed.next(seen, AuditSample.soon());
                seen = event.map(Event::sequence).orElse(seen);
                event.ifPresent(each -> out.println(body(each)));
            }
        }
    }
}
