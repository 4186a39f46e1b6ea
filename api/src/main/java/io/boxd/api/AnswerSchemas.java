package io.boxd.api;

import static io.boxd.api.Schema.arrayOf;
import static io.boxd.api.Schema.flag;
import static io.boxd.api.Schema.integer;
import static io.boxd.api.Schema.mapOf;
import static io.boxd.api.Schema.number;
import static io.boxd.api.Schema.object;
import static io.boxd.api.Schema.oneOf;
import static io.boxd.api.Schema.oneOfWords;
import static io.boxd.api.Schema.orNull;
import static io.boxd.api.Schema.ref;
import static io.boxd.api.Schema.text;
import static io.boxd.api.Schema.time;

import io.boxd.common.ErrorCode;
import io.boxd.verbs.Verb;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;
import tools.jackson.databind.node.ObjectNode;

/** What answers look like, each shape once and by name; docs/api.md says the same in words. */
final class AnswerSchemas {
    private static final List<String> STATUSES =
            List.of("starting", "running", "standby", "hibernated", "stopped", "failed", "destroyed");

    private AnswerSchemas() {}

    /** All shapes by their names. */
    static Map<String, ObjectNode> components() {
        Map<String, ObjectNode> all = new TreeMap<>();
        all.put("Box", object(AnswerSchemas::box));
        all.put("ForkedBox", object(boxWith(AnswerSchemas::forked)));
        all.put("PausedBox", object(boxWith(moved("suspend_us"))));
        all.put("ResumedBox", object(boxWith(moved("resume_us"))));
        all.put("HibernatedBox", object(boxWith(moved("hibernate_ms"))));
        all.put("WokenBox", object(boxWith(moved("wake_ms"))));
        all.put("MovedBox", object(boxWith(moved("took_ms"))));
        all.put(
                "RolledBackBox",
                object(boxWith(
                        shape -> shape.has("left_snapshot", ref("Snapshot")).has("took_ms", integer(0)))));
        all.put("Source", oneOf(only("image"), only("snapshot"), only("box")));
        all.put(
                "BoxMention",
                object(shape -> shape.has("id", text()).has("name", text()).has("status", oneOfWords(STATUSES))));
        all.put("Snapshot", object(AnswerSchemas::snapshot));
        all.put("Timeline", object(shape -> shape.has("box", text()).has("nodes", arrayOf(ref("TimelineNode")))));
        all.put("TimelineNode", object(AnswerSchemas::timelineNode));
        all.put("Execution", object(AnswerSchemas::execution));
        all.put("ExecResult", object(AnswerSchemas::execResult));
        all.put("DetachedExec", object(shape -> shape.has("exec_id", text()).mayHave("snapshot_id", text())));
        all.put("BoxFigures", object(AnswerSchemas::figures));
        all.put("Why", object(AnswerSchemas::why));
        all.put("WhySource", object(AnswerSchemas::whySource));
        all.put("Lease", object(shape -> shape.has("box_id", text()).has("until", time())));
        all.put("Image", object(AnswerSchemas::image));
        all.put("ServerStatus", object(AnswerSchemas::server));
        all.put("Destroyed", object(shape -> shape.has("destroyed", arrayOf(text()))));
        all.put("Deleted", object(shape -> shape.has("deleted", arrayOf(text()))));
        all.put(
                "WrittenFile",
                object(shape ->
                        shape.has("path", text()).has("bytes", integer(0)).has("sha256", text("^[0-9a-f]{64}$"))));
        all.put(
                "UnpackedTree",
                object(shape -> shape.has("entries", integer(0))
                        .has("skipped", integer(0))
                        .has("bytes", integer(0))));
        all.put("FileFacts", object(AnswerSchemas::file));
        all.put("Alive", object(shape -> shape.has("alive", flag())));
        all.put("Ready", object(shape -> shape.has("ready", flag())));
        all.put("Error", object(shape -> shape.has("error", object(AnswerSchemas::error))));
        all.putAll(NameSchemas.components());
        all.putAll(HistorySchemas.components());
        all.putAll(AccountSchemas.components());
        return all;
    }

    /** What the verb answers when it is done. */
    static ObjectNode of(Verb verb) {
        return switch (verb.name()) {
            case "new", "info", "rename", "label", "resize", "idle", "promote" -> ref("Box");
            case "list" -> arrayOf(ref("Box"));
            case "fork" -> oneOf(ref("ForkedBox"), arrayOf(ref("ForkedBox")));
            case "pause" -> ref("PausedBox");
            case "resume" -> ref("ResumedBox");
            case "hibernate" -> ref("HibernatedBox");
            case "wake" -> ref("WokenBox");
            case "stop", "start", "reboot" -> ref("MovedBox");
            case "rollback" -> ref("RolledBackBox");
            case "destroy" -> ref("Destroyed");
            case "snapshot save", "snapshot show" -> ref("Snapshot");
            case "snapshot list" -> arrayOf(ref("Snapshot"));
            case "snapshot rm", "image rm", "webhook rm", "key rm", "token revoke", "user rm", "invitation rm" ->
                ref("Deleted");
            case "timeline" -> ref("Timeline");
            case "exec" -> oneOf(ref("ExecResult"), ref("DetachedExec"));
            case "ps" -> arrayOf(ref("Execution"));
            case "kill" -> ref("Execution");
            case "top" -> arrayOf(ref("BoxFigures"));
            case "why" -> ref("Why");
            case "busy" -> ref("Lease");
            case "image list" -> arrayOf(ref("Image"));
            case "image build" -> ref("Image");
            case "trust" -> ref("OwnAuthority");
            case "certificate list", "certificate renew", "certificate revoke" -> arrayOf(ref("Certificate"));
            case "events" -> ref("Events");
            case "audit" -> arrayOf(ref("AuditEntry"));
            case "audit verify" -> ref("AuditVerification");
            case "webhook add" -> ref("AddedWebhook");
            case "webhook list" -> arrayOf(ref("Webhook"));
            case "webhook test" -> ref("TestedWebhook");
            case "webhook dead list" -> arrayOf(ref("DeadLetter"));
            case "webhook dead retry" -> ref("RetriedLetters");
            case "webhook dead rm" -> ref("ForgottenLetters");
            case "whoami" -> ref("Self");
            case "key add" -> ref("Key");
            case "key list" -> arrayOf(ref("Key"));
            case "token create" -> ref("CreatedToken");
            case "token list" -> arrayOf(ref("Token"));
            case "invite" -> ref("Invitation");
            case "org create", "org pool" -> ref("Organisation");
            case "join", "org list" -> arrayOf(ref("Organisation"));
            case "org members", "org add", "org remove" -> arrayOf(ref("Member"));
            case "user list" -> arrayOf(ref("User"));
            case "user add", "user admin" -> ref("User");
            case "invitation list" -> arrayOf(ref("OpenInvitation"));
            case "usage" -> ref("Usage");
            case "quota show", "quota set" -> ref("Quota");
            case "status" -> ref("ServerStatus");
            default -> throw new IllegalArgumentException("nobody has said what " + verb.name() + " answers");
        };
    }

    private static ObjectNode only(String field) {
        return object(shape -> shape.has(field, text()));
    }

    private static void box(Schema.Shape shape) {
        shape.has("id", text("^bx_"))
                .has("name", text())
                .has("status", oneOfWords(STATUSES))
                .has("status_reason", orNull(text()))
                .has("image", text())
                .has("source", ref("Source"))
                .has("forked_from", orNull(text()))
                .has("created_at", time())
                .has("expires_at", orNull(time()))
                .has("labels", mapOf(text()))
                .has("cpus", integer(1))
                .has("memory_bytes", integer(0))
                .has("disk_bytes", integer(0))
                .has("ssh", orNull(text()))
                .has("ip", orNull(text()))
                .has("idle_after_s", integer(0))
                .has("hibernate_after_s", integer(0))
                .has(
                        "checkpoint_every",
                        oneOf(
                                integer(1),
                                oneOfWords(List.of("exec")),
                                io.boxd.common.Json.object().put("type", "null")))
                .has("owner", orNull(text()))
                .has("org", orNull(text()))
                .has("visibility", oneOfWords(List.of("private", "shared")))
                .has("accel", text())
                .has("node", text())
                .has(
                        "timings",
                        object(timings -> timings.has("create_ms", integer(0)).has("ready_ms", integer(0))));
    }

    private static Consumer<Schema.Shape> boxWith(Consumer<Schema.Shape> more) {
        return shape -> {
            box(shape);
            more.accept(shape);
        };
    }

    private static void forked(Schema.Shape shape) {
        shape.has("pause_ms", integer(0)).has("ready_ms", integer(0)).has("dirty_bytes", integer(0));
    }

    private static Consumer<Schema.Shape> moved(String took) {
        return shape -> shape.has("changed", flag()).has(took, integer(0));
    }

    private static void snapshot(Schema.Shape shape) {
        shape.has("id", text())
                .has("box_id", text())
                .has("box_name", orNull(text()))
                .has("cause", oneOfWords(List.of("saved", "checkpoint", "left")))
                .has("label", orNull(text()))
                .has("parent", orNull(text()))
                .has("exec_id", orNull(text()))
                .has("command", orNull(text()))
                .has("created_at", time())
                .has("memory_bytes", integer(0))
                .has("disk_bytes", integer(0))
                .has("state", oneOfWords(List.of("ready")));
    }

    private static void timelineNode(Schema.Shape shape) {
        shape.has("kind", oneOfWords(List.of("box", "snapshot")))
                .has("id", text())
                .has("name", orNull(text()))
                .has("label", orNull(text()))
                .has("parent", orNull(text()))
                .has("cause", orNull(text()))
                .has("command", orNull(text()))
                .has("exec_id", orNull(text()))
                .has("created_at", time())
                .has("status", orNull(text()))
                .has("current", flag());
    }

    private static void execution(Schema.Shape shape) {
        shape.has("exec_id", text())
                .has("command", text())
                .has("user", text())
                .has("status", oneOfWords(List.of("running", "exited", "killed")))
                .has("exit_code", orNull(integer(0)))
                .has("signal", orNull(text()))
                .has("tty", flag())
                .has("started_at", time())
                .has("ended_at", orNull(time()))
                .has("output_bytes", integer(0))
                .has("clients", integer(0))
                .has("cpu_ms", integer(0));
    }

    private static void execResult(Schema.Shape shape) {
        shape.has("exec_id", text())
                .mayHave("snapshot_id", text())
                .has("output", text())
                .has("stdout", text())
                .has("stderr", text())
                .has("exit_code", orNull(integer(0)))
                .has("signal", orNull(text()))
                .has("timed_out", flag())
                .has("duration_ms", orNull(integer(0)))
                .has("truncated", flag());
    }

    private static void figures(Schema.Shape shape) {
        shape.has("box", ref("BoxMention"))
                .has("cpu_percent", number())
                .has("memory_bytes", integer(0))
                .has("received_bytes", integer(0))
                .has("sent_bytes", integer(0))
                .has("in_status_s", integer(0));
    }

    private static void why(Schema.Shape shape) {
        shape.has("box", ref("BoxMention"))
                .has("since", time())
                .has("because", text())
                .has("sleeps_in_s", orNull(integer(0)))
                .has("next_status", orNull(text()))
                .has("sources", arrayOf(ref("WhySource")));
    }

    private static void whySource(Schema.Shape shape) {
        shape.has("kind", text()).has("active", flag()).has("detail", text()).has("quiet_s", integer(0));
    }

    private static void image(Schema.Shape shape) {
        shape.has("name", text())
                .has("suite", text())
                .has("kind", text())
                .has("packages", arrayOf(text()))
                .has("disk_bytes", integer(0))
                .has("built", flag())
                .has("key", orNull(text()));
    }

    private static void server(Schema.Shape shape) {
        shape.has("pid", integer(1))
                .has("version", text())
                .has("url", text())
                .has("home", text())
                .has("accel", text())
                .has(
                        "ports",
                        object(ports -> ports.has("http", integer(0, 65_535))
                                .has("https", integer(0, 65_535))
                                .has("ssh", orNull(integer(0, 65_535)))
                                .has("dns", orNull(integer(0, 65_535)))))
                .has("started_at", time())
                .has("certificate", text())
                .has(
                        "ssh",
                        orNull(object(ssh -> ssh.has("host", text())
                                .has("port", integer(0, 65_535))
                                .has("alias", text())
                                .has("authority", text()))))
                .has("boxes", mapOf(integer(1)))
                .has("spare_machines", integer(0))
                .has("uptime_s", integer(0))
                .has("accel_reason", text());
    }

    private static void file(Schema.Shape shape) {
        shape.has("path", text())
                .has("type", text())
                .has("mode", text("^[0-7]{4,}$"))
                .has("size", integer(0))
                .has("modified_at", time())
                .has("user", text())
                .has("link_target", orNull(text()));
    }

    private static void error(Schema.Shape shape) {
        shape.has(
                        "code",
                        oneOfWords(Stream.of(ErrorCode.values())
                                .map(ErrorCode::wireName)
                                .toList()))
                .has("message", text())
                .has("hint", orNull(text()));
    }
}
