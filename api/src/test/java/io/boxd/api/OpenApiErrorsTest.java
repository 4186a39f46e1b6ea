package io.boxd.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.accounts.AccountIds;
import io.boxd.common.ErrorCode;
import io.boxd.common.Json;
import io.boxd.control.TestingControl;
import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Whether what the document says of errors is true, for every operation; needs no box. */
@Tag("unit")
class OpenApiErrorsTest {
    private static final int FIRST_ERROR = 400;
    private static final Map<String, String> NOBODY = Map.ofEntries(
            Map.entry("box", "nobody"),
            Map.entry("snapshot", "nothing"),
            Map.entry("exec_id", "ex_0000"),
            Map.entry("name", "nothing"),
            Map.entry("webhook", "wh_nothing"),
            Map.entry("user", "nobody"),
            Map.entry("org", "nobody"),
            Map.entry("token", "tok_nothing"),
            Map.entry("invitation", "inv_nothing"));
    private static final String KEY =
            "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHIsQi2JxZ8l3mD4gP5Y5Xv4y0s1b1V2m3n4o5p6q7r8 somebody";

    private final TestingDoor door = new TestingDoor();
    private Described described;
    private String login = "nothing";

    @BeforeEach
    void read() throws IOException {
        described = new Described(door);
    }

    @AfterEach
    void close() {
        door.close();
    }

    /** Each error that is described for an operation is provoked there, and looks as described. */
    @Test
    void everyErrorOfEveryOperationIsAsDescribed() throws IOException {
        for (Described.Operation operation : described.operations()) {
            for (int status : operation.statuses()) {
                if (status >= FIRST_ERROR && status != Exchange.UPGRADE_REQUIRED) {
                    assertThat(provoked(operation, status)).as(operation.id()).isEqualTo(status);
                }
            }
            if (operation.statuses().contains(Exchange.UPGRADE_REQUIRED)) {
                String answer = raw(operation, "", "Accept: text/html\nAuthorization: Bearer " + TestingDoor.SECRET);
                assertThat(status(operation, answer)).isEqualTo(Exchange.UPGRADE_REQUIRED);
            }
        }
    }

    private int provoked(Described.Operation operation, int status) throws IOException {
        String token = "Authorization: Bearer " + TestingDoor.SECRET;
        return switch (status) {
            case 400 -> status(operation, raw(operation, "?nonsense=1", token + upgrade(operation)));
            case 401 -> status(operation, raw(operation, "", "Authorization: Bearer wrong"));
            case 403 -> status(operation, raw(operation, "", "Origin: http://evil.example"));
            case 404 -> failing(operation, ErrorCode.NOT_FOUND);
            case 409 -> failing(operation, ErrorCode.WRONG_STATE);
            case 429 -> failing(operation, ErrorCode.QUOTA_EXCEEDED);
            case 500 -> failing(operation, ErrorCode.INTERNAL);
            case 503 -> failing(operation, ErrorCode.UNAVAILABLE);
            case 504 -> failing(operation, ErrorCode.TIMEOUT);
            default -> throw new AssertionError("nobody knows how to provoke " + status);
        };
    }

    private static String upgrade(Described.Operation operation) {
        return operation.isSocketOnly()
                ? "\nUpgrade: websocket\nConnection: Upgrade, close\nSec-WebSocket-Version: 13\n"
                        + "Sec-WebSocket-Protocol: boxd.v1"
                        + "\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="
                : "";
    }

    private int failing(Described.Operation operation, ErrorCode code) throws IOException {
        // Who asks for a login that there is learns of failures elsewhere; the others only that there is none.
        login = code == ErrorCode.NOT_FOUND
                ? "nothing"
                : door.house()
                        .control()
                        .beginLogin(TestingControl.CALLER)
                        .path("handle")
                        .asString();
        door.house().failWith(code);
        door.setObstacle("the test wants it");
        String needed = operation.path().matches(".*/(files|tree|stat)")
                ? "?path=x"
                : operation.id().equals("keyRm") ? "?fingerprint=SHA256:x" : "";
        try {
            return status(
                    operation,
                    raw(operation, needed, "Authorization: Bearer " + TestingDoor.SECRET + upgrade(operation)));
        } finally {
            door.house().failWith(null);
        }
    }

    /** Asks with a body that is good, for things that are not there. */
    private String raw(Described.Operation operation, String query, String headers) throws IOException {
        String body = body(operation);
        return door.raw(operation.method() + " " + operation.at(NOBODY).replace("{login}", login) + query
                + " HTTP/1.1\nHost: localhost\nContent-Length: " + body.length() + "\n"
                + (headers.contains("Connection:") ? "" : "Connection: close\n") + headers + "\n\n" + body);
    }

    private static String body(Described.Operation operation) {
        JsonNode schema = operation.json().at("/requestBody/content/application~1json/schema");
        ObjectNode body = Json.object();
        schema.path("required").forEach(field -> {
            switch (field.asString()) {
                case "boxes" -> body.putArray("boxes").add("nobody");
                case "labels" -> body.putObject("labels").put("k", "v");
                case "name" -> body.put("name", "somebody");
                case "invitation" -> body.put("invitation", AccountIds.invitationSecret());
                case "key" -> body.put("key", KEY);
                case "token", "fingerprint", "user" -> body.put(field.asString(), "nothing");
                case "url" -> body.put("url", "https://example.org/");
                default -> body.put(field.asString(), 1);
            }
        });
        switch (operation.id()) {
            case "exec" -> body.put("script", "true");
            case "resize", "quotaSet" -> body.put("cpus", 1);
            case "orgPool" -> body.put("none", true);
            case "rollback" -> body.put("snapshot", "nothing");
            default -> {}
        }
        return Json.write(body);
    }

    /** Checks an answer that came as bytes; its status. */
    private int status(Described.Operation operation, String answer) {
        int status = Integer.parseInt(answer.substring("HTTP/1.1 ".length(), "HTTP/1.1 200".length()));
        assertThat(operation.statuses()).as(operation.id() + " " + answer).contains(status);
        String head = answer.substring(0, answer.indexOf("\r\n\r\n"));
        assertThat(head.toLowerCase(Locale.ROOT)).contains("x-request-id: ", "content-type: application/json");
        String text = answer.substring(answer.indexOf("\r\n\r\n") + 4);
        JsonNode error = described.document().at("/components/schemas/Error");
        assertThat(described.schemas().problems(error, Json.parse(text)))
                .as(answer)
                .isEmpty();
        return status;
    }
}
