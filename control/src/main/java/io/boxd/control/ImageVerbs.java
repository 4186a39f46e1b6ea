package io.boxd.control;

import io.boxd.common.Deadline;
import io.boxd.common.Json;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** What boxes start from. */
final class ImageVerbs {
    private final Images images;
    private final Creations creations;

    ImageVerbs(Images images, Creations creations) {
        this.creations = creations;
        this.images = images;
    }

    Map<String, Handler> handlers() {
        return Map.of(
                "image list",
                _ -> list(),
                "image build",
                creations.once(
                        asked -> asked.said().required("name"),
                        (asked, name) -> build(asked, name),
                        (_, name) -> made(name)),
                "image rm",
                this::remove);
    }

    private JsonNode list() {
        ArrayNode list = Json.array();
        images.list().forEach(image -> list.add(shown(image)));
        return list;
    }

    private JsonNode build(Asked asked, String name) {
        return shown(images.build(name, asked.said().text("recipe"), Deadline.in(Limits.CREATION)));
    }

    private Optional<JsonNode> made(String name) {
        return images.list().stream()
                .filter(image -> image.name().equals(name) && image.built())
                .findFirst()
                .map(ImageVerbs::shown);
    }

    private JsonNode remove(Asked asked) {
        String name = asked.said().required("name");
        images.remove(name);
        ObjectNode answer = Json.object();
        answer.putArray("deleted").add(name);
        return answer;
    }

    private static ObjectNode shown(Images.ImageFacts image) {
        ObjectNode answer = Json.object();
        answer.put("name", image.name());
        answer.put("suite", image.suite());
        answer.put("kind", image.kind());
        image.packages().forEach(answer.putArray("packages")::add);
        answer.put("disk_bytes", image.diskBytes());
        answer.put("built", image.built());
        answer.put("key", image.key().isEmpty() ? null : image.key());
        return answer;
    }
}
