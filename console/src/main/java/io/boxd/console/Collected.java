package io.boxd.console;

import io.boxd.verbs.Fields;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Everything that a command said, for one JSON value; each of the three texts is bounded. */
public final class Collected {
    private static final int MOST_BYTES = 16 << 20;

    private final ByteArrayOutputStream both = new ByteArrayOutputStream();
    private final ByteArrayOutputStream stdout = new ByteArrayOutputStream();
    private final ByteArrayOutputStream stderr = new ByteArrayOutputStream();
    private boolean truncated;
    private @Nullable String execution;
    private @Nullable String snapshot;

    /** The command runs; said again whenever somebody goes on listening to it. */
    public void started(@Nullable String newExecution, @Nullable String newSnapshot) {
        execution = newExecution;
        snapshot = newSnapshot == null ? snapshot : newSnapshot;
    }

    public void output(boolean error, ByteBuffer bytes) {
        keep(both, bytes);
        keep(error ? stderr : stdout, bytes);
    }

    private void keep(ByteArrayOutputStream text, ByteBuffer bytes) {
        int room = Math.min(bytes.remaining(), MOST_BYTES - text.size());
        text.write(bytes.array(), bytes.arrayOffset() + bytes.position(), room);
        truncated |= room < bytes.remaining();
    }

    /** Something is missing. */
    public void skipped() {
        truncated = true;
    }

    /** As {@code exec} without a stream answers. */
    public Map<String, @Nullable Object> json(Fields end) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("exec_id", execution);
        json.put("output", both.toString(StandardCharsets.UTF_8));
        json.put("stdout", stdout.toString(StandardCharsets.UTF_8));
        json.put("stderr", stderr.toString(StandardCharsets.UTF_8));
        for (String field : List.of("exit_code", "signal", "timed_out", "duration_ms")) {
            json.put(field, end.values().get(field));
        }
        json.put("truncated", truncated);
        if (snapshot != null) {
            json.put("snapshot_id", snapshot);
        }
        return json;
    }
}
