package io.boxd.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.Json;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;

/** The document that a door serves, and whether answers are what it says. */
final class Described {
    private final TestingDoor door;
    private final JsonNode document;
    private final TestingSchema schemas;
    private final Map<String, Set<Integer>> seen = new HashMap<>();

    /** An operation: how it is asked for and what it can answer. */
    record Operation(String id, String method, String path, JsonNode json) {
        List<Integer> statuses() {
            return json.path("responses").propertyNames().stream()
                    .map(Integer::valueOf)
                    .toList();
        }

        boolean isSocketOnly() {
            return json.has("x-boxd-messages") && !json.has("x-boxd-events");
        }

        /** The path with these values in place of its parameters. */
        String at(Map<String, String> values) {
            String target = path;
            for (Map.Entry<String, String> value : values.entrySet()) {
                target = target.replace("{" + value.getKey() + "}", value.getValue());
            }
            return target;
        }
    }

    Described(TestingDoor door) throws IOException {
        this.door = door;
        this.document = door.get("/openapi.json").json();
        this.schemas = new TestingSchema(document);
    }

    JsonNode document() {
        return document;
    }

    TestingSchema schemas() {
        return schemas;
    }

    List<Operation> operations() {
        List<Operation> operations = new ArrayList<>();
        document.path("paths")
                .properties()
                .forEach(path -> path.getValue()
                        .properties()
                        .forEach(method -> operations.add(new Operation(
                                method.getValue().path("operationId").asString(),
                                method.getKey().toUpperCase(Locale.ROOT),
                                path.getKey(),
                                method.getValue()))));
        return operations;
    }

    Operation operation(String id) {
        return operations().stream()
                .filter(operation -> operation.id().equals(id))
                .findFirst()
                .orElseThrow(() -> new AssertionError("the document has no operation " + id));
    }

    /** Asks for an operation; the answer is as the document says, or the test fails. */
    JsonNode ask(String id, String target, String body) throws IOException {
        Operation operation = operation(id);
        return check(operation, send(operation, target, body));
    }

    HttpResponse<byte[]> send(Operation operation, String target, String body) throws IOException {
        HttpRequest request = door.request(target)
                .method(operation.method(), HttpRequest.BodyPublishers.ofString(body.replace('\'', '"')))
                .build();
        return door.send(request, HttpResponse.BodyHandlers.ofByteArray());
    }

    /** The answer's JSON; null if it is something else, which the document says, too. */
    JsonNode check(Operation operation, HttpResponse<byte[]> answer) {
        int status = answer.statusCode();
        String text = new String(answer.body(), StandardCharsets.UTF_8);
        String what = operation.id() + " " + status + " " + text;
        assertThat(operation.statuses()).as(what).contains(status);
        seen.computeIfAbsent(operation.id(), _ -> new TreeSet<>()).add(status);
        JsonNode response = operation.json().path("responses").path(String.valueOf(status));
        JsonNode described =
                response.has("$ref") ? schemas.resolve(response.path("$ref").asString()) : response;
        described.path("headers").propertyNames().stream()
                .filter(RequestId.HEADER::equals)
                .forEach(header ->
                        assertThat(answer.headers().firstValue(header)).as(what).isPresent());
        String type = answer.headers().firstValue("Content-Type").orElse("").split(";", 2)[0];
        JsonNode content = described.path("content");
        if (type.isEmpty()) {
            assertThat(content.propertyNames()).as(what).isEmpty();
        } else {
            assertThat(content.propertyNames()).as(what).contains(type);
        }
        if (!type.equals("application/json")) {
            return Json.object();
        }
        JsonNode json = Json.parse(text);
        assertThat(schemas.problems(content.path(type).path("schema"), json))
                .as(what)
                .isEmpty();
        return json;
    }

    /** Which statuses this operation has answered so far. */
    Set<Integer> seen(Operation operation) {
        return seen.getOrDefault(operation.id(), Set.of());
    }
}
