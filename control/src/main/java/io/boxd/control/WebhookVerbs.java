package io.boxd.control;

import io.boxd.chronicle.Event;
import io.boxd.chronicle.Webhooks;
import io.boxd.common.Json;
import io.boxd.worker.BoxEvent;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Who is told of events. */
final class WebhookVerbs {
    private static final Set<String> KINDS = Stream.concat(
                    Stream.of(BoxEvent.Kind.values()).map(BoxEvent.Kind::wireName), Stream.of(Event.GAP))
            .collect(Collectors.toCollection(TreeSet::new));

    private final Webhooks webhooks;

    WebhookVerbs(Webhooks webhooks) {
        this.webhooks = webhooks;
    }

    Map<String, Handler> handlers() {
        return Map.of(
                "webhook add", this::add,
                "webhook list", _ -> list(),
                "webhook rm", this::remove,
                "webhook test", this::test,
                "webhook dead list", this::dead,
                "webhook dead retry", this::retry,
                "webhook dead rm", this::forget);
    }

    private JsonNode add(Parameters said) {
        List<String> kinds = said.text("events").map(WebhookVerbs::kinds).orElse(List.of());
        // A secret out of a file ends with the file's last line end, which nobody means.
        Optional<String> secret = said.text("secret").map(String::strip);
        Webhooks.Added added = webhooks.add(said.required("url"), kinds, secret);
        ObjectNode answer = Happenings.webhook(added.hook());
        answer.put("secret", added.secret().orElse(null));
        return answer;
    }

    private static List<String> kinds(String text) {
        List<String> kinds =
                Arrays.stream(text.split(",", -1)).map(String::strip).distinct().toList();
        for (String kind : kinds) {
            if (!KINDS.contains(kind)) {
                throw Failures.invalid(
                        "there are no events '" + Printable.line(kind) + "'",
                        "There are " + String.join(", ", KINDS) + ".");
            }
        }
        return kinds;
    }

    private JsonNode list() {
        ArrayNode list = Json.array();
        webhooks.list().forEach(hook -> list.add(Happenings.webhook(hook)));
        return list;
    }

    private JsonNode remove(Parameters said) {
        String id = said.required("webhook");
        webhooks.remove(id);
        ObjectNode answer = Json.object();
        answer.putArray("deleted").add(id);
        return answer;
    }

    private JsonNode test(Parameters said) {
        Webhooks.Tested tested = webhooks.test(said.required("webhook"));
        ObjectNode answer = Json.object();
        answer.put("delivered", tested.delivered());
        answer.put("status", tested.status().orElse(null));
        answer.put("failure", tested.failure().orElse(null));
        answer.put("took_ms", tested.tookMillis());
        return answer;
    }

    private JsonNode dead(Parameters said) {
        ArrayNode list = Json.array();
        webhooks.dead(said.text("webhook")).forEach(letter -> list.add(Happenings.deadLetter(letter)));
        return list;
    }

    private JsonNode retry(Parameters said) {
        Webhooks.Retried retried = webhooks.retryDead(said.required("webhook"), said.number("sequence"));
        ObjectNode answer = Json.object();
        answer.put("delivered", retried.delivered());
        answer.put("left", retried.left());
        answer.put("failure", retried.failure().orElse(null));
        return answer;
    }

    private JsonNode forget(Parameters said) {
        int forgotten = webhooks.forgetDead(said.required("webhook"), said.number("sequence"));
        return Json.object().put("deleted", forgotten);
    }
}
