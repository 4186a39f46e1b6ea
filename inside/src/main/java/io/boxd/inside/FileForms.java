package io.boxd.inside;

import io.boxd.common.Json;
import io.boxd.control.BoxFiles.Place;
import io.boxd.control.BoxFiles.Writing;
import io.boxd.guest.FileAttributes;
import io.boxd.guest.FileType;
import io.boxd.guest.GuestBytes;
import io.boxd.guest.ReadOptions;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** What is said of files, on its way. */
final class FileForms {
    private FileForms() {}

    static ObjectNode write(Place place) {
        ObjectNode json = Json.object().put("box", place.box()).put("path", place.path());
        place.user().ifPresent(user -> json.put("user", user));
        return json;
    }

    static Place place(JsonNode json) {
        return new Place(json.path("box").asString(""), json.path("path").asString(""), text(json, "user"));
    }

    static ObjectNode write(Writing writing) {
        ObjectNode json = Json.object();
        writing.mode().ifPresent(mode -> json.put("mode", mode));
        writing.sha256().ifPresent(hash -> json.put("sha256", hash));
        return json;
    }

    static Writing writing(JsonNode json) {
        return new Writing(text(json, "mode"), text(json, "sha256"));
    }

    private static Optional<String> text(JsonNode json, String field) {
        return Optional.ofNullable(json.path(field).asString(null));
    }

    static ObjectNode write(ReadOptions options) {
        return Json.tree(options);
    }

    static ReadOptions options(JsonNode json) {
        return new ReadOptions(
                json.path("offset").asLong(),
                json.path("length").asLong(),
                json.path("special").asBoolean(),
                json.path("hashed").asBoolean());
    }

    static ObjectNode write(FileAttributes file) {
        return Json.object()
                .put("type", file.type().name())
                .put("mode", file.mode())
                .put("uid", file.uid())
                .put("gid", file.gid())
                .put("user", file.user())
                .put("group", file.group())
                .put("size", file.size())
                .put("allocated_bytes", file.allocatedBytes())
                .put("links", file.links())
                .put("inode", file.inode())
                .put("accessed", file.accessed().toString())
                .put("modified", file.modified().toString())
                .put("changed", file.changed().toString())
                .put("link_target", HexFormat.of().formatHex(file.linkTarget().toArray()));
    }

    static FileAttributes attributes(JsonNode json) {
        return new FileAttributes(
                FileType.valueOf(json.path("type").asString()),
                json.path("mode").asInt(),
                json.path("uid").asLong(),
                json.path("gid").asLong(),
                json.path("user").asString(),
                json.path("group").asString(),
                json.path("size").asLong(),
                json.path("allocated_bytes").asLong(),
                json.path("links").asLong(),
                json.path("inode").asLong(),
                Instant.parse(json.path("accessed").asString()),
                Instant.parse(json.path("modified").asString()),
                Instant.parse(json.path("changed").asString()),
                GuestBytes.of(HexFormat.of().parseHex(json.path("link_target").asString())));
    }
}
