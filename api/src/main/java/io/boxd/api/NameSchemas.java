package io.boxd.api;

import static io.boxd.api.Schema.arrayOf;
import static io.boxd.api.Schema.integer;
import static io.boxd.api.Schema.object;
import static io.boxd.api.Schema.orNull;
import static io.boxd.api.Schema.text;
import static io.boxd.api.Schema.time;

import java.util.Map;
import tools.jackson.databind.node.ObjectNode;

/** What is answered about certificates. */
final class NameSchemas {
    private NameSchemas() {}

    static Map<String, ObjectNode> components() {
        return Map.of(
                "OwnAuthority",
                object(shape -> shape.has("name", text())
                        .has("fingerprint_sha256", text("^([0-9A-F]{2}:){31}[0-9A-F]{2}$"))
                        .has("names", arrayOf(text()))
                        .has("not_after", time())
                        .has("certificate", text())),
                "Certificate",
                object(shape -> shape.has("names", arrayOf(text()))
                        .has("issuer", text())
                        .has("not_after", time())
                        .has("next_at", time())
                        .has("failure", orNull(text()))
                        .has("failures", integer(0))));
    }
}
