package io.boxd.control;

import io.boxd.common.Json;
import io.boxd.worker.Box;
import io.boxd.worker.Doorway;
import io.boxd.worker.Doorway.Admittance;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** How boxes are reached by their names, and who is let in. */
final class UrlVerbs {
    private static final int LAST_PORT = 65_535;
    private static final String AUTO = "auto";

    private final Urls urls;
    private final boolean usuallyPrivate;
    private final InstantSource clock;
    private final SecureRandom random = new SecureRandom();

    UrlVerbs(Urls urls, Settings settings, InstantSource clock) {
        this.urls = urls;
        this.usuallyPrivate = settings.privateUrls();
        this.clock = clock;
    }

    Map<String, Handler> handlers() {
        return Map.of(
                "url", this::url,
                "proxy list", this::list,
                "proxy set-port", this::setPort,
                "share", this::share);
    }

    private JsonNode url(Asked asked) {
        Box box = asked.box();
        Optional<Long> port = asked.said().number("port");
        port.ifPresent(UrlVerbs::requirePort);
        ObjectNode answer = way(box);
        port.ifPresent(number -> answer.put("port", number)
                .put("url", urls.of(box.name(), number.intValue()).orElse(null)));
        return answer;
    }

    private JsonNode list(Asked asked) {
        ArrayNode ways = Json.array();
        List<Box> boxes =
                asked.said().has("box") ? List.of(asked.box()) : asked.boxes().list();
        boxes.forEach(box -> ways.add(way(box)));
        return ways;
    }

    private JsonNode setPort(Asked asked) {
        String said = asked.said().required("port");
        Optional<Integer> port = said.equals(AUTO) ? Optional.empty() : Optional.of(port(said));
        return way(asked.boxes().admit(asked.box().id(), was -> was.at(port)));
    }

    private static int port(String said) {
        try {
            long port = Long.parseLong(said);
            requirePort(port);
            return (int) port;
        } catch (NumberFormatException e) {
            throw Failures.invalid("a port is a number, or " + AUTO);
        }
    }

    private static void requirePort(long port) {
        if (port < 1 || port > LAST_PORT) {
            throw Failures.invalid("there is no port " + port, "Ports are 1 to " + LAST_PORT + ".");
        }
    }

    private JsonNode share(Asked asked) {
        Parameters said = asked.said();
        Optional<Duration> time = said.seconds("link_s");
        Optional<Instant> end = time.map(clock.instant()::plus);
        Box box = asked.boxes().admit(asked.box().id(), was -> shared(was, said));
        ObjectNode answer = way(box);
        answer.put("link", end.flatMap(until -> link(box, until)).orElse(null));
        answer.put("expires_at", Answers.time(end));
        return answer;
    }

    private Doorway shared(Doorway was, Parameters said) {
        if (said.has("link_s")) {
            return was.linkKey().isPresent() ? was : was.signing(Optional.of(Links.newKey(random)));
        }
        if (said.flag("revoke")) {
            return was.signing(Optional.empty());
        }
        return was.admitting(said.flag("public") ? Admittance.PUBLIC : Admittance.PRIVATE);
    }

    private Optional<String> link(Box box, Instant end) {
        String link = Links.of(box.doorway().linkKey().orElseThrow(), box.id(), end);
        return urls.of(box.name()).map(url -> url + "/?" + VisitOrder.LINK + "=" + link);
    }

    /** How a box is reached. */
    private ObjectNode way(Box box) {
        ObjectNode answer = Json.object();
        answer.put("box_id", box.id());
        answer.put("box_name", box.name());
        answer.put("url", urls.of(box.name()).orElse(null));
        answer.put("port", box.doorway().port().orElse(null));
        answer.put("access", isPrivate(box, usuallyPrivate) ? "private" : "public");
        return answer;
    }

    /** Whether strangers are kept out. */
    static boolean isPrivate(Box box, boolean usually) {
        return switch (box.doorway().admittance()) {
            case USUAL -> usually;
            case PUBLIC -> false;
            case PRIVATE -> true;
        };
    }
}
