package io.boxd.api;

import io.boxd.common.Json;
import io.boxd.control.Control;
import io.boxd.control.DoorFields;
import io.boxd.verbs.HistoryVerbs;
import io.boxd.verbs.Parameter;
import io.boxd.verbs.ParameterType;
import io.boxd.verbs.Route;
import io.boxd.verbs.Topic;
import io.boxd.verbs.Verb;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** One operation of the OpenAPI document for each route: what it is told and what it can answer. */
final class Operations {
    private static final String JSON = "application/json";
    private static final int SWITCHING = 101;
    private static final int OK = 200;
    private static final int NO_CONTENT = 204;
    private static final int PARTIAL = 206;

    /** Verbs that answer from what is written down, and so neither wait for a machine nor collide. */
    private static final Set<String> FROM_THE_RECORD = Set.of(
            "list",
            "info",
            "snapshot list",
            "snapshot show",
            "timeline",
            "why",
            "top",
            "image list",
            "events",
            "audit",
            "audit verify",
            "webhook list",
            "webhook dead list",
            "whoami",
            "key list",
            "token list",
            "org list",
            "org members",
            "usage",
            "quota show",
            "user list",
            "invitation list",
            "trust",
            "certificate list",
            "status");

    /** Those of them that wait until all that was done is written down. */
    private static final Set<String> SETTLED_FIRST = Set.of("audit", "audit verify", "usage");

    /** Fields by which something is called that may not be there, whatever the verb. */
    private static final Set<String> NAMING = Set.of("webhook", "user", "org", "token", "fingerprint", "invitation");

    private Operations() {}

    static ObjectNode of(Routes.Entry entry) {
        return switch (entry.target()) {
            case Routes.Target.Call(Verb verb) -> call(entry, verb);
            case Routes.Target.Stream(Verb verb) -> stream(entry, verb);
            case Routes.Target.Follow(Verb verb) -> throw new IllegalArgumentException(verb.name() + " is a call, too");
            case Routes.Target.Events(Verb verb) -> events(entry, verb);
            case Routes.Target.Files(Routes.FileRequest request) -> files(entry, request);
            case Routes.Target.Entrance(Routes.EntranceRequest request) -> entrance(request);
            case Routes.Target.Own(Routes.OwnRequest request) -> own(request);
        };
    }

    private static ObjectNode begin(String id, String tag, String summary) {
        ObjectNode operation = Json.object();
        operation.put("operationId", id);
        operation.putArray("tags").add(tag);
        operation.put("summary", summary);
        return operation;
    }

    /** {@code snapshot save} becomes {@code snapshotSave}. */
    static String id(Verb verb) {
        StringBuilder id = new StringBuilder();
        for (String word : verb.name().split(" ", -1)) {
            id.append(id.isEmpty() ? word.charAt(0) : Character.toUpperCase(word.charAt(0)))
                    .append(word, 1, word.length());
        }
        return id.toString();
    }

    private static ObjectNode call(Routes.Entry entry, Verb verb) {
        ObjectNode operation = begin(id(verb), verb.topic().title(), verb.summary());
        ArrayNode parameters = operation.putArray("parameters");
        addPath(parameters, verb);
        if (verb.creates()) {
            parameter(parameters, ApiHandler.REPEATABLE, "header", Schema.text(Control.KEY_PATTERN), false)
                    .put("description", "under the same key nothing is made twice; remembered for 24 hours");
        }
        boolean inQuery = entry.method().equals("GET") || entry.method().equals("DELETE");
        if (inQuery) {
            addQuery(parameters, verb, Map.of());
            if (Paging.applies(verb)) {
                Paging.describe(parameters);
            }
        } else {
            ObjectNode body = ValueSchemas.body(verb, DoorFields.ofCall(verb));
            ValueSchemas.addRules(verb, body);
            ObjectNode request = operation.putObject("requestBody");
            request.put("required", ValueSchemas.needsBody(verb, body));
            request.putObject("content").putObject(JSON).set("schema", body);
        }
        Map<Integer, ObjectNode> answers = errors(entry, verb);
        ObjectNode done = answer("done", AnswerSchemas.of(verb), Paging.applies(verb));
        answers.put(ApiHandler.successStatus(verb), done);
        if (HistoryVerbs.isFollowed(verb)) {
            addFollowing(operation, parameters, verb);
            answers.put(SWITCHING, answer("a WebSocket begins", null, false));
            ((ObjectNode) done.path("content")).putObject(EventWriter.TYPE).set("schema", Json.object());
        }
        return withAnswers(operation, answers);
    }

    private static ObjectNode stream(Routes.Entry entry, Verb verb) {
        ObjectNode operation = begin(id(verb) + "Stream", verb.topic().title(), verb.summary() + ", as a WebSocket");
        operation.put(
                "description",
                "A WebSocket of the subprotocol " + ApiHandler.PROTOCOL + ". Binary messages are bytes behind one byte"
                        + " that is their channel (0 input, 1 stdout, 2 stderr); text messages are JSON objects with"
                        + " one field, whose schemas are in x-boxd-messages.");
        addPath(operation.putArray("parameters"), verb);
        addMessages(operation, verb);
        Map<Integer, ObjectNode> answers = errors(entry, verb);
        answers.put(SWITCHING, answer("the stream begins", null, false));
        answers.put(Exchange.UPGRADE_REQUIRED, refused(Exchange.UPGRADE_REQUIRED));
        return withAnswers(operation, answers);
    }

    private static void addMessages(ObjectNode operation, Verb verb) {
        ObjectNode messages = operation.putObject("x-boxd-messages");
        messages.set("client", StreamSchemas.fromClient(verb));
        messages.set("server", StreamSchemas.fromServer(verb));
    }

    /** The same path goes on telling when it is asked for in another way. */
    private static void addFollowing(ObjectNode operation, ArrayNode parameters, Verb verb) {
        operation.put(
                "description",
                "Goes on with what comes if text/event-stream is the first type that is accepted (without limit; the"
                        + " data of each event is JSON, whose schemas are in x-boxd-events), or as a WebSocket of the"
                        + " subprotocol " + ApiHandler.PROTOCOL + " and without a query (the messages of"
                        + " x-boxd-messages).");
        addLastEvent(parameters, HistoryEvents.ID_PATTERN);
        operation.set("x-boxd-events", StreamSchemas.events(verb));
        addMessages(operation, verb);
    }

    private static void addLastEvent(ArrayNode parameters, String pattern) {
        parameter(parameters, LogEvents.LAST_EVENT, "header", Schema.text(pattern), false)
                .put("description", "the id of the last event that was received; what follows it is sent");
    }

    /** The same path is also the verb's socket: one description for both. */
    private static ObjectNode events(Routes.Entry entry, Verb verb) {
        ObjectNode operation = begin(id(verb), verb.topic().title(), verb.summary());
        operation.put(
                "description",
                "Server-sent events; the data of each is JSON, whose schemas are in x-boxd-events. Asked for as a"
                        + " WebSocket of the subprotocol " + ApiHandler.PROTOCOL + " and without a query, the messages"
                        + " of x-boxd-messages.");
        ArrayNode parameters = operation.putArray("parameters");
        addPath(parameters, verb);
        addQuery(parameters, verb, DoorFields.ofStream(verb));
        addLastEvent(parameters, LogEvents.ID_PATTERN);
        operation.set("x-boxd-events", StreamSchemas.events(verb));
        addMessages(operation, verb);
        Map<Integer, ObjectNode> answers = errors(entry, verb);
        answers.put(SWITCHING, answer("a WebSocket begins", null, false));
        ObjectNode stream = answer("events until the end", null, false);
        stream.putObject("content").putObject(EventWriter.TYPE).set("schema", Json.object());
        answers.put(OK, stream);
        answers.put(Exchange.UPGRADE_REQUIRED, refused(Exchange.UPGRADE_REQUIRED));
        answers.put(NO_CONTENT, answer("the end was received already", null, false));
        return withAnswers(operation, answers);
    }

    private static ObjectNode files(Routes.Entry entry, Routes.FileRequest request) {
        ObjectNode operation = begin(request.id(), "Files", request.summary());
        ArrayNode parameters = operation.putArray("parameters");
        parameter(parameters, "box", "path", Schema.text("^" + ParameterType.REFERENCE_PATTERN + "$"), true)
                .put("description", "the box, by name or id");
        parameter(parameters, "path", "query", Schema.text("^[^\\u0000]*$").put("maxLength", 1024), true)
                .put("description", "relative to /home/boxd");
        parameter(parameters, "user", "query", Schema.text(), false).put("description", "whose rights decide (boxd)");
        Map<Integer, ObjectNode> answers = errors(entry, null);
        switch (request) {
            case READ -> {
                parameter(parameters, "Range", "header", Schema.text(FileRequests.RANGE_PATTERN), false)
                        .put("description", "bytes=FIRST-LAST or bytes=FIRST-");
                answers.put(OK, content("the file", "application/octet-stream"));
                answers.put(PARTIAL, content("a part of the file", "application/octet-stream"));
            }
            case WRITE -> {
                parameter(parameters, "mode", "query", Schema.text("^[0-7]{3,4}$"), false);
                parameter(parameters, "sha256", "query", Schema.text("^[0-9a-fA-F]{64}$"), false);
                addContent(operation, "application/octet-stream");
                answers.put(OK, answer("written", Schema.ref("WrittenFile"), false));
            }
            case PACK -> answers.put(OK, content("a tar archive", "application/x-tar"));
            case UNPACK -> {
                addContent(operation, "application/x-tar");
                answers.put(OK, answer("unpacked", Schema.ref("UnpackedTree"), false));
            }
            case STAT -> answers.put(OK, answer("what it is", Schema.ref("FileFacts"), false));
        }
        return withAnswers(operation, answers);
    }

    private static void addContent(ObjectNode operation, String type) {
        ObjectNode body = operation.putObject("requestBody").put("required", true);
        body.putObject("content").putObject(type).set("schema", bytes());
    }

    private static ObjectNode bytes() {
        return Schema.text().put("format", "binary");
    }

    private static ObjectNode content(String description, String type) {
        ObjectNode answer = answer(description, null, false);
        answer.putObject("content").putObject(type).set("schema", bytes());
        return answer;
    }

    private static ObjectNode entrance(Routes.EntranceRequest request) {
        ObjectNode operation = begin(request.id(), "Coming in", request.summary());
        operation.putArray("security");
        Map<Integer, ObjectNode> answers = new TreeMap<>();
        for (int status : new int[] {400, 403}) {
            answers.put(status, refused(status));
        }
        switch (request) {
            case WAYS -> answers.put(OK, answer("the ways", Schema.ref("LoginWays"), false));
            case BEGIN -> {
                operation.put("description", "With a token, its user is known by that login, too, when it is done.");
                addEmptyBody(operation);
                answers.put(OK, answer("what to tell the person", Schema.ref("BegunLogin"), false));
            }
            case ASK -> {
                addEmptyBody(operation);
                parameter(operation.putArray("parameters"), "login", "path", Schema.text("^[0-9a-f]{64}$"), true)
                        .put("description", "the handle of the login");
                answers.put(OK, answer("how far it is", Schema.ref("LoginProgress"), false));
            }
            case ENTER -> {
                ObjectNode body = operation.putObject("requestBody").put("required", true);
                body.putObject("content")
                        .putObject(JSON)
                        .set(
                                "schema",
                                Schema.object(shape -> shape.has("invitation", Schema.text())
                                        .has("name", Schema.text())
                                        .mayHave("key", Schema.text())));
                answers.put(OK, answer("come in", Schema.ref("LoginProgress"), false));
                answers.put(409, refused(409));
            }
        }
        if (request != Routes.EntranceRequest.WAYS) {
            for (int status : new int[] {429, 500, 503, 504}) {
                answers.put(status, refused(status));
            }
        }
        if (request == Routes.EntranceRequest.BEGIN) {
            answers.put(401, refused(401));
        }
        if (request == Routes.EntranceRequest.BEGIN || request == Routes.EntranceRequest.ASK) {
            answers.put(404, refused(404));
        }
        return withAnswers(operation, answers);
    }

    private static void addEmptyBody(ObjectNode operation) {
        ObjectNode request = operation.putObject("requestBody").put("required", false);
        request.putObject("content").putObject(JSON).set("schema", Schema.object(_ -> {}));
    }

    private static ObjectNode own(Routes.OwnRequest request) {
        ObjectNode operation = begin(request.id(), "Server", request.summary());
        Map<Integer, ObjectNode> answers = new TreeMap<>();
        answers.put(400, refused(400));
        answers.put(403, refused(403));
        if (request.needsToken()) {
            answers.put(401, refused(401));
            answers.put(429, refused(429));
            answers.put(500, refused(500));
        } else {
            operation.putArray("security");
        }
        switch (request) {
            case ALIVE -> answers.put(OK, answer("the process answers", Schema.ref("Alive"), false));
            case READY -> {
                answers.put(OK, answer("a box can be made", Schema.ref("Ready"), false));
                answers.put(503, refused(503));
            }
            case DOCUMENT ->
                answers.put(OK, answer("this document", Json.object().put("type", "object"), false));
            case METRICS -> {
                ObjectNode figures = answer("figures, as Prometheus reads them", null, false);
                figures.putObject("content").putObject("text/plain").set("schema", Schema.text());
                answers.put(OK, figures);
            }
        }
        return withAnswers(operation, answers);
    }

    private static void addPath(ArrayNode parameters, Verb verb) {
        for (Parameter parameter : verb.parameters()) {
            if (verb.isInPath(parameter)) {
                ObjectNode schema = ValueSchemas.inPath(verb, parameter);
                parameter(parameters, parameter.field(), "path", schema, true).put("description", parameter.help());
            }
        }
    }

    private static void addQuery(ArrayNode parameters, Verb verb, Map<String, ParameterType> more) {
        for (Parameter parameter : verb.parameters()) {
            if (!verb.isInPath(parameter)) {
                ObjectNode schema = ValueSchemas.inQuery(verb, parameter.field(), parameter.type());
                parameter(parameters, parameter.field(), "query", schema, ValueSchemas.isNeeded(parameter))
                        .put("description", parameter.help());
            }
        }
        more.forEach(
                (field, type) -> parameter(parameters, field, "query", ValueSchemas.inQuery(verb, field, type), false));
    }

    static ObjectNode parameter(ArrayNode all, String name, String in, ObjectNode schema, boolean needed) {
        ObjectNode parameter = all.addObject().put("name", name).put("in", in).put("required", needed);
        parameter.set("schema", schema);
        return parameter;
    }

    /** @param verb if the route is one's */
    private static Map<Integer, ObjectNode> errors(Routes.Entry entry, @org.jspecify.annotations.Nullable Verb verb) {
        Map<Integer, ObjectNode> answers = new TreeMap<>();
        for (int status : new int[] {400, 401, 403, 429, 500, 503}) {
            answers.put(status, refused(status));
        }
        if (verb == null || namesSomething(verb)) {
            answers.put(404, refused(404));
        }
        boolean written = verb != null
                && FROM_THE_RECORD.contains(verb.name())
                && verb.route().method() == Route.Method.GET;
        boolean upgraded = entry.target() instanceof Routes.Target.Stream;
        if (!written && !upgraded) {
            answers.put(409, refused(409));
        }
        if ((!written && !upgraded) || (verb != null && SETTLED_FIRST.contains(verb.name()))) {
            answers.put(504, refused(504));
        }
        return answers;
    }

    private static boolean namesSomething(Verb verb) {
        return verb.parameters().stream().anyMatch(parameter -> switch (parameter.type()) {
            // What happened to a box can be asked for when it is no more.
            case BOX, BOXES, SNAPSHOT, EXECUTION -> verb.topic() != Topic.HISTORY;
            default ->
                verb.name().equals("new") || verb.name().startsWith("image ") || NAMING.contains(parameter.field());
        });
    }

    private static ObjectNode refused(int status) {
        return Json.object().put("$ref", OpenApi.response(status));
    }

    private static ObjectNode answer(
            String description, @org.jspecify.annotations.Nullable ObjectNode schema, boolean paged) {
        ObjectNode answer = Json.object().put("description", description);
        ObjectNode headers = answer.putObject("headers");
        headers.putObject(RequestId.HEADER).put("$ref", OpenApi.REQUEST_ID);
        if (paged) {
            headers.putObject("Link").put("$ref", OpenApi.LINK);
        }
        if (schema != null) {
            answer.putObject("content").putObject(JSON).set("schema", schema);
        }
        return answer;
    }

    private static ObjectNode withAnswers(ObjectNode operation, Map<Integer, ObjectNode> answers) {
        ObjectNode responses = operation.putObject("responses");
        answers.forEach((status, answer) -> responses.set(String.valueOf(status), answer));
        return operation;
    }
}
