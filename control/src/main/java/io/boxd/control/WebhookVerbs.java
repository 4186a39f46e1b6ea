package io.boxd.control;

import io.boxd.chronicle.Chronicle;
import io.boxd.chronicle.Webhooks;
import io.boxd.common.Json;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Who is told of events. */
final class WebhookVerbs {
    private final Chronicle chronicle;
    private final Creations creations;

    WebhookVerbs(Chronicle chronicle, Creations creations) {
        this.creations = creations;
        this.chronicle = chronicle;
    }

    Map<String, Handler> handlers() {
        return Map.of(
                "webhook add",
                        creations.once(
                                _ -> Webhooks.freshId(), (asked, id) -> add(asked.said(), id), (_, id) -> made(id)),
                "webhook list", _ -> list(),
                "webhook rm", Handler.about((_, said) -> remove(said)),
                "webhook test", Handler.about((_, said) -> test(said)),
                "webhook dead list", Handler.about((_, said) -> dead(said)),
                "webhook dead retry", Handler.about((_, said) -> retry(said)),
                "webhook dead rm", Handler.about((_, said) -> forget(said)));
    }

    private Optional<JsonNode> made(String id) {
        return chronicle.webhooks().list().stream()
                .filter(hook -> hook.id().equals(id))
                .findFirst()
                .map(hook -> HistoryAnswers.webhook(hook).putNull("secret"));
    }

    private JsonNode add(Parameters said, String id) {
        List<String> kinds = said.text("events").map(WebhookVerbs::kinds).orElse(List.of());
        // A secret out of a file ends with the file's last line end, which nobody means.
        Optional<String> secret = said.text("secret").map(String::strip);
        Webhooks.Added added = chronicle.webhooks().add(id, said.required("url"), kinds, secret);
        ObjectNode answer = HistoryAnswers.webhook(added.hook());
        answer.put("secret", added.secret().orElse(null));
        return answer;
    }

    private static List<String> kinds(String text) {
        List<String> kinds =
                Arrays.stream(text.split(",", -1)).map(String::strip).distinct().toList();
        for (String kind : kinds) {
            if (!BoxEvents.KINDS.contains(kind)) {
                throw Failures.invalid(
                        "there are no events '" + Printable.line(kind) + "'",
                        "There are " + String.join(", ", BoxEvents.KINDS) + ".");
            }
        }
        return kinds;
    }

    private JsonNode list() {
        ArrayNode list = Json.array();
        chronicle.webhooks().list().forEach(hook -> list.add(HistoryAnswers.webhook(hook)));
        return list;
    }

    private JsonNode remove(Parameters said) {
        String id = said.required("webhook");
        chronicle.webhooks().remove(id);
        ObjectNode answer = Json.object();
        answer.putArray("deleted").add(id);
        return answer;
    }

    private JsonNode test(Parameters said) {
        Webhooks.Tested tested = chronicle.webhooks().test(said.required("webhook"));
        ObjectNode answer = Json.object();
        answer.put("delivered", tested.delivered());
        answer.put("status", tested.status().orElse(null));
        answer.put("failure", tested.failure().orElse(null));
        answer.put("took_ms", tested.tookMillis());
        return answer;
    }

    private JsonNode dead(Parameters said) {
        ArrayNode list = Json.array();
        chronicle.webhooks().dead(said.text("webhook")).forEach(letter -> list.add(HistoryAnswers.deadLetter(letter)));
        return list;
    }

    private JsonNode retry(Parameters said) {
        Webhooks.Retried retried = chronicle.webhooks().retryDead(said.required("webhook"), said.number("sequence"));
        ObjectNode answer = Json.object();
        answer.put("delivered", retried.delivered());
        answer.put("left", retried.left());
        answer.put("failure", retried.failure().orElse(null));
        return answer;
    }

    private JsonNode forget(Parameters said) {
        int forgotten = chronicle.webhooks().forgetDead(said.required("webhook"), said.number("sequence"));
        return Json.object().put("deleted", forgotten);
    }
}
