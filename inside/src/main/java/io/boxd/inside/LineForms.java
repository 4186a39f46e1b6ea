package io.boxd.inside;

import io.boxd.common.Json;
import io.boxd.control.DialOrder;
import io.boxd.control.ListenOrder;
import java.time.Duration;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** What is said of connections and listeners, on its way. */
final class LineForms {
    private LineForms() {}

    static ObjectNode write(DialOrder order) {
        ObjectNode json =
                Json.object().put("box", order.box()).put("nanos", order.limit().toNanos());
        order.user().ifPresent(user -> json.put("user", user));
        switch (order.target()) {
            case DialOrder.Target.Port(String host, int port) ->
                json.put("host", host).put("port", port);
            case DialOrder.Target.Socket(String path) -> json.put("path", path);
        }
        return json;
    }

    static DialOrder dial(JsonNode json) {
        DialOrder.Target target = json.has("path")
                ? new DialOrder.Target.Socket(json.path("path").asString(""))
                : new DialOrder.Target.Port(
                        json.path("host").asString(""), json.path("port").asInt());
        return new DialOrder(
                json.path("box").asString(""),
                target,
                Duration.ofNanos(json.path("nanos").asLong()),
                user(json));
    }

    static ObjectNode write(ListenOrder order) {
        ObjectNode json = Json.object().put("box", order.box());
        order.user().ifPresent(user -> json.put("user", user));
        switch (order.place()) {
            case ListenOrder.Place.Port(String address, int port) ->
                json.put("address", address).put("port", port);
            case ListenOrder.Place.Socket(String path) -> json.put("path", path);
            case ListenOrder.Place.Secret() -> json.put("secret", true);
        }
        return json;
    }

    static ListenOrder listen(JsonNode json) {
        ListenOrder.Place place;
        if (json.has("secret")) {
            place = new ListenOrder.Place.Secret();
        } else if (json.has("path")) {
            place = new ListenOrder.Place.Socket(json.path("path").asString(""));
        } else {
            place = new ListenOrder.Place.Port(
                    json.path("address").asString(""), json.path("port").asInt());
        }
        return new ListenOrder(json.path("box").asString(""), place, user(json));
    }

    private static Optional<String> user(JsonNode json) {
        return Optional.ofNullable(json.path("user").asString(null));
    }
}
