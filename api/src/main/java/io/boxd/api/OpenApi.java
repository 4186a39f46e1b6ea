package io.boxd.api;

import io.boxd.common.ErrorCode;
import io.boxd.common.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.databind.node.ObjectNode;

/** The OpenAPI document: every route of this door, made from the table of verbs and the shapes of answers. */
final class OpenApi {
    static final String REQUEST_ID = "#/components/headers/RequestId";
    static final String LINK = "#/components/headers/Link";
    private static final String SECURITY = "token";

    private OpenApi() {}

    /** @param version of the server */
    static ObjectNode document(Routes routes, String version) {
        ObjectNode document = Json.object().put("openapi", "3.1.0");
        document.putObject("info")
                .put("title", "boxd")
                .put("version", version)
                .put("description", "Instant, persistent, forkable Linux machines.");
        document.putArray("security").addObject().putArray(SECURITY);
        ObjectNode paths = document.putObject("paths");
        for (Routes.Entry entry : described(routes)) {
            String path = "/" + String.join("/", entry.pieces());
            ObjectNode item = paths.get(path) instanceof ObjectNode known ? known : paths.putObject(path);
            String method = entry.method().equals(Routes.SOCKET)
                    ? "get"
                    : entry.method().toLowerCase(Locale.ROOT);
            item.set(method, Operations.of(entry));
        }
        addComponents(document.putObject("components"));
        return document;
    }

    /** A path that is a socket and something else that is got is one operation: HTTP has one GET for all. */
    private static List<Routes.Entry> described(Routes routes) {
        List<Routes.Entry> entries = new ArrayList<>(routes.entries());
        List<List<String>> withEvents = entries.stream()
                .filter(entry -> entry.target() instanceof Routes.Target.Events)
                .map(Routes.Entry::pieces)
                .toList();
        entries.removeIf(entry -> entry.target() instanceof Routes.Target.Follow
                || (entry.target() instanceof Routes.Target.Stream && withEvents.contains(entry.pieces())));
        return entries;
    }

    private static void addComponents(ObjectNode components) {
        ObjectNode schemas = components.putObject("schemas");
        AnswerSchemas.components().forEach(schemas::set);
        StreamSchemas.components().forEach(schemas::set);
        ObjectNode responses = components.putObject("responses");
        statuses().forEach((status, codes) -> responses.set(responseName(status), refusal(status, codes)));
        ObjectNode headers = components.putObject("headers");
        headers.set("RequestId", header("names the request, also in the server's log", Schema.text()));
        headers.set("Link", header("where the next page is, if there is one: <…>; rel=\"next\"", Schema.text()));
        headers.set("RetryAfter", header("seconds after which it may go well", Schema.integer(1)));
        components
                .putObject("securitySchemes")
                .putObject(SECURITY)
                .put("type", "http")
                .put("scheme", "bearer");
    }

    private static ObjectNode header(String description, ObjectNode schema) {
        ObjectNode header = Json.object().put("description", description);
        header.set("schema", schema);
        return header;
    }

    /** Which codes have which status. */
    private static Map<Integer, List<String>> statuses() {
        Map<Integer, List<String>> codes = Stream.of(ErrorCode.values())
                .collect(Collectors.groupingBy(
                        Errors::status, TreeMap::new, Collectors.mapping(ErrorCode::wireName, Collectors.toList())));
        codes.put(Exchange.UPGRADE_REQUIRED, List.of(ErrorCode.INVALID_ARGUMENT.wireName()));
        return codes;
    }

    private static ObjectNode refusal(int status, List<String> codes) {
        ObjectNode answer = Json.object().put("description", String.join(", ", codes));
        ObjectNode headers = answer.putObject("headers");
        headers.putObject(RequestId.HEADER).put("$ref", REQUEST_ID);
        if (status == Errors.status(ErrorCode.RESOURCE_EXHAUSTED)) {
            headers.putObject("Retry-After").put("$ref", "#/components/headers/RetryAfter");
        }
        answer.putObject("content").putObject("application/json").set("schema", Schema.ref("Error"));
        return answer;
    }

    private static String responseName(int status) {
        return "Refused" + status;
    }

    static String response(int status) {
        return "#/components/responses/" + responseName(status);
    }
}
