package io.boxd.console;

import io.boxd.common.PlainJson;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What was copied.
 *
 * @param skipped things that cannot or may not be copied: devices, links that lead out
 */
public record Copied(long bytes, long entries, long skipped) {
    /** As every door answers. */
    public String json() {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("bytes", bytes);
        json.put("entries", entries);
        json.put("skipped", skipped);
        return PlainJson.write(json);
    }
}
