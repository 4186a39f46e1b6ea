package io.boxd.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.PlainJson;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("unit")
final class AnswersTest {
    private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");
    private static final String EVIL = "\\u001b]0;x\\u0007\\u202e\\n\\r";

    private static final String BOX = """
            {"id":"bx_1","name":"task-1","status":"running","status_reason":null,"image":"base",
            "source":{"image":"base"},
            "forked_from":null,"created_at":"2026-01-01T10:30:00Z","expires_at":"2026-01-01T14:00:00Z",
            "labels":{"job":"EVIL"},"cpus":2,"memory_bytes":8589934592,"disk_bytes":107374182400,"ip":"10.0.0.1",
            "idle_after_s":30,"hibernate_after_s":0,"checkpoint_every":"exec","accel":"tcg","node":"local",
            "timings":{"create_ms":12,"ready_ms":640},"changed":true,
            "suspend_us":420,"took_ms":20000,"left_snapshot":{"id":"sn_9"}}
            """.replace("EVIL", EVIL);

    /** An answer to each verb, in each case with something hostile in it. */
    private static final Map<String, String> SAMPLES = Map.ofEntries(
            Map.entry(
                    "list", "[" + BOX + "," + BOX.replace("task-1", "a-long-name-of-forty-characters-as-it-may") + "]"),
            Map.entry("fork", BOX.replace("\"changed\"", "\"pause_ms\":12,\"dirty_bytes\":5242880,\"changed\"")),
            Map.entry("destroy", "{\"destroyed\":[\"bx_1\",\"" + EVIL + "\"]}"),
            Map.entry(
                    "whoami",
                    "{\"name\":\"" + EVIL + "\",\"organisations\":[{\"name\":\"red\",\"role\":\"owner\"}],"
                            + "\"token\":\"tok_1\",\"scopes\":{\"read_only\":true,\"verbs\":[\"list\"]}}"),
            Map.entry("key add", "{\"fingerprint\":\"SHA256:x\",\"comment\":\"" + EVIL + "\"}"),
            Map.entry("key list", "[{\"fingerprint\":\"SHA256:x\",\"comment\":\"" + EVIL + "\"}]"),
            Map.entry("key rm", "{\"deleted\":[\"" + EVIL + "\"]}"),
            Map.entry(
                    "token create",
                    "{\"id\":\"tok_1\",\"token\":\"boxd_" + "f".repeat(72) + "\",\"scopes\":{\"labels\":{\"k\":\""
                            + EVIL + "\"}}}"),
            Map.entry("token list", "[{\"id\":\"tok_1\",\"note\":\"" + EVIL + "\"}]"),
            Map.entry("token revoke", "{\"deleted\":[\"tok_1\"]}"),
            Map.entry("invite", "{\"id\":\"inv_1\",\"invitation\":\"invite_" + "f".repeat(72) + "\"}"),
            Map.entry("join", "{\"name\":\"red\",\"role\":\"member\"}"),
            Map.entry("org create", "{\"name\":\"red\",\"role\":\"owner\"}"),
            Map.entry("org list", "[{\"name\":\"" + EVIL + "\",\"pool\":{\"boxes\":1,\"cpus\":2}}]"),
            Map.entry("org pool", "{\"name\":\"red\"}"),
            Map.entry("org members", "[{\"user\":\"" + EVIL + "\",\"role\":\"owner\"}]"),
            Map.entry(
                    "org add",
                    "[{\"user\":\"bob\",\"role\":\"owner\",\"limit\":{\"boxes\":2,\"cpus\":4,\"memory_bytes\":1024}}]"),
            Map.entry("org remove", "[]"),
            Map.entry(
                    "usage",
                    "{\"boxes\":[{\"box_name\":\"" + EVIL + "\",\"cpu_ms\":12345,\"memory_mib_s\":8192000}],"
                            + "\"total\":{\"cpu_ms\":12345,\"memory_mib_s\":8192000}}"),
            Map.entry("quota show", "{\"user\":\"" + EVIL + "\",\"used\":{\"boxes\":1},\"limit\":{\"boxes\":10}}"),
            Map.entry("quota set", "{\"user\":\"bob\",\"used\":{\"boxes\":1},\"limit\":{\"boxes\":10}}"),
            Map.entry("image rm", "{\"deleted\":[\"" + EVIL + "\"]}"),
            Map.entry("snapshot rm", "{\"deleted\":[]}"),
            Map.entry(
                    "ps",
                    "[{\"exec_id\":\"ex_1\",\"command\":\"" + EVIL + "x".repeat(300)
                            + "\",\"status\":\"exited\",\"exit_code\":3,\"started_at\":\"2026-01-01T11:59:00Z\"}]"),
            Map.entry("kill", "{\"exec_id\":\"ex_1\",\"status\":\"killed\",\"signal\":\"TERM\"}"),
            Map.entry("top", "[{\"box\":{\"name\":\"" + EVIL + "\",\"status\":\"running\"},\"cpu_percent\":150.04}]"),
            Map.entry(
                    "why",
                    "{\"box\":{\"name\":\"b\",\"status\":\"running\"},\"since\":\"2026-01-01T11:00:00Z\","
                            + "\"because\":\"" + EVIL
                            + "\",\"sleeps_in_s\":20,\"next_status\":\"standby\",\"sources\":["
                            + "{\"kind\":\"command\",\"active\":true,\"detail\":\"" + EVIL + "make\",\"quiet_s\":0}]}"),
            Map.entry("busy", "{\"box_id\":\"bx_1\",\"until\":\"2026-01-01T12:20:00Z\"}"),
            Map.entry("snapshot list", "[" + snapshot("sn_1", "null") + "]"),
            Map.entry("snapshot save", snapshot("sn_1", "null")),
            Map.entry("snapshot show", snapshot("sn_1", "\"sn_0\"")),
            Map.entry("timeline", "{\"box\":\"bx_1\",\"nodes\":[" + snapshot("sn_1", "null") + "]}"),
            Map.entry("image list", "[{\"name\":\"base\",\"disk_bytes\":1,\"built\":true,\"key\":\"" + EVIL + "\"}]"),
            Map.entry("image build", "{\"name\":\"base\",\"built\":\"2026-01-01T11:00:00Z\"}"),
            Map.entry(
                    "status",
                    "{\"url\":\"http://127.0.0.1:8080\",\"boxes\":{\"running\":2},\"uptime_s\":90,"
                            + "\"accel\":\"tcg\",\"accel_reason\":\"" + EVIL + "\"}"));

    private static String snapshot(String id, String parent) {
        return "{\"kind\":\"snapshot\",\"id\":\"" + id + "\",\"parent\":"
                + parent
                + ",\"label\":\"" + EVIL + "\",\"box_name\":\"task-1\",\"cause\":\"checkpoint\",\"command\":\"" + EVIL
                + "make && " + "y".repeat(300)
                + "\",\"created_at\":\"2026-01-01T11:00:00Z\",\"memory_bytes\":1536,\"disk_bytes\":10,"
                + "\"state\":\"ready\"}";
    }

    private static String sample(String verb) {
        return SAMPLES.getOrDefault(verb, BOX);
    }

    static List<Verb> answered() {
        return Verbs.all().stream()
                .filter(verb -> verb.route().method() != Route.Method.SOCKET)
                .toList();
    }

    private static String text(String verb, String json, int columns) {
        return Answers.text(Verbs.named(verb).orElseThrow(), PlainJson.parse(json), new Look(columns, false, NOW));
    }

    @ParameterizedTest
    @MethodSource("answered")
    void eachAnswerHasATextThatFitsAndIsHarmless(Verb verb) {
        String json = sample(verb.name());
        for (int columns : new int[] {80, 140}) {
            String text = text(verb.name(), json, columns);
            assertThat(text).isNotBlank().endsWith("\n").doesNotContain("\u001b", "\u0007", "\u202e", "\r");
            assertThat(text.lines())
                    .allSatisfy(line -> assertThat(Harmless.columns(line)).isLessThanOrEqualTo(columns));
        }
        // Whatever a server leaves out, nothing breaks.
        assertThat(text(verb.name(), "{}", 80)).endsWith("\n");
        assertThat(text(verb.name(), "[]", 80)).isNotNull();
    }

    @Test
    void aListFitsTheWidthAndDropsWhatMattersLeast() {
        String wide = text("list", sample("list"), 140);
        assertThat(wide.lines().findFirst().orElseThrow())
                .contains("NAME", "STATUS", "IMAGE", "CPUS", "MEMORY", "LABELS");
        String narrow = text("list", sample("list"), 40);
        assertThat(narrow.lines().findFirst().orElseThrow())
                .contains("NAME", "STATUS")
                .doesNotContain("LABELS");
        assertThat(narrow).contains("a-long-name-of-for…");
        assertThat(text("list", "[]", 80)).startsWith("No boxes.");
    }

    @Test
    void whatIsToBeTypedAgainIsCutLast() {
        String list = text("list", sample("list"), 80);
        assertThat(list).contains("a-long-name-of-forty-characters-as-it-may ").doesNotContain("LABELS");
        String snapshot = "{\"id\":\"sn_n2z76ozydw6q\",\"label\":\"before-the-experiment\",\"box_name\":\""
                + "b".repeat(40) + "\",\"cause\":\"saved\",\"created_at\":\"2026-01-01T11:00:00Z\","
                + "\"memory_bytes\":10000000,\"disk_bytes\":10000000,\"command\":null}";
        String snapshots = text("snapshot list", "[" + snapshot + "]", 80);
        assertThat(snapshots)
                .contains("sn_n2z76ozydw6q", "before-the-experiment", "bbb…")
                .doesNotContain("COMMAND");
        assertThat(snapshots.lines())
                .allSatisfy(line -> assertThat(Harmless.columns(line)).isLessThanOrEqualTo(80));
    }

    @Test
    void contextsAreShownWithTheOneInUse() {
        String answer = "[{\"name\":\"local\",\"url\":null,\"current\":false,\"logged_in\":true},"
                + "{\"name\":\"lab\",\"url\":\"https://lab\",\"current\":true,\"logged_in\":false}]";
        Verb verb = Verbs.withDoors().stream()
                .filter(each -> each.isNamed("context ls"))
                .findFirst()
                .orElseThrow();
        assertThat(Answers.text(verb, PlainJson.parse(answer), new Look(80, false, NOW)))
                .isEqualTo("""
                        USED  NAME   URL          TOKEN
                              local  -            kept
                        *     lab    https://lab  none
                        """);
    }

    @Test
    void longIdsAreShortenedWhereThatIsClear() {
        String one = "{\"exec_id\":\"ex_0123456789abcdef\",\"status\":\"running\"}";
        String other = "{\"exec_id\":\"ex_fedcba9876543210\",\"status\":\"running\"}";
        String near = "{\"exec_id\":\"ex_0123456700000000\",\"status\":\"running\"}";
        assertThat(text("ps", "[" + one + "," + other + "]", 80)).contains("ex_01234567 ", "ex_fedcba98 ");
        assertThat(text("ps", "[" + one + "," + near + "]", 80)).contains("ex_0123456789abcdef", "ex_0123456700000000");
    }

    @Test
    void coloursComeOnlyWhenTold() {
        Verb list = Verbs.named("list").orElseThrow();
        Object answer = PlainJson.parse(sample("list"));
        assertThat(Answers.text(list, answer, new Look(80, true, NOW))).contains("\u001b[32mrunning\u001b[0m");
        String plain = Answers.text(list, answer, new Look(80, true, NOW)).replaceAll("\u001b\\[[0-9]+m", "");
        assertThat(plain).isEqualTo(Answers.text(list, answer, new Look(80, false, NOW)));
    }

    @Test
    void sentencesSayWhatHappened() {
        assertThat(text("new", BOX, 80)).isEqualTo("task-1 is running, ready in 640 ms\n");
        assertThat(text("fork", sample("fork"), 80))
                .isEqualTo("task-1 is running, ready in 640 ms; its source stood still for 12 ms, 5M copied\n");
        assertThat(text("pause", BOX, 80)).isEqualTo("task-1 is running (420 µs)\n");
        assertThat(text("wake", BOX.replace("\"changed\":true", "\"changed\":false"), 80))
                .isEqualTo("task-1 is running, and was so already\n");
        assertThat(text("rollback", BOX, 80)).isEqualTo("task-1 is what it was (20s); what it left is sn_9\n");
        assertThat(text("busy", sample("busy"), 80)).isEqualTo("kept awake, for 20m\n");
        assertThat(text("info", BOX, 80))
                .contains(
                        "created      1h 30m ago",
                        "expires      in 2h",
                        "standby      after 30s",
                        "hibernation  never",
                        "checkpoints  before each command");
    }

    @Test
    void theTimelineIsATreeWhoseTrunkLeadsToTheBox() {
        String json = """
                {"box":"bx_1","nodes":[
                {"kind":"snapshot","id":"s1","label":"clean","parent":null,"cause":"saved",
                "created_at":"2026-01-01T09:00:00Z"},
                {"kind":"snapshot","id":"s2","parent":"s1","cause":"checkpoint","command":"make",
                "created_at":"2026-01-01T10:00:00Z"},
                {"kind":"box","id":"b1","name":"task-1","parent":"s2","status":"running",
                "current":true,"created_at":"2026-01-01T09:30:00Z"},
                {"kind":"snapshot","id":"s3","parent":"s1","cause":"left","created_at":"2026-01-01T11:00:00Z"},
                {"kind":"box","id":"b2","name":"try","parent":"s3","status":"standby",
                "created_at":"2026-01-01T11:30:00Z"}]}
                """;
        assertThat(text("timeline", json, 80)).isEqualTo("""
                ◆ clean  saved by hand, 3h ago
                ├─◆ s3  left by a rollback, 1h ago
                │ ○ try  standby, 30m ago
                ◆ s2  automatic checkpoint, 2h ago, before $ make
                ● task-1  running, 2h 30m ago
                """);
    }

    @Test
    void forksOfABoxAreItsBranches() {
        String json = """
                {"box":"b1","nodes":[
                {"kind":"box","id":"b1","name":"task-1","parent":null,"status":"running",
                "current":true,"created_at":"2026-01-01T09:00:00Z"},
                {"kind":"snapshot","id":"s1","parent":"b1","cause":"saved","created_at":"2026-01-01T10:00:00Z"},
                {"kind":"snapshot","id":"s2","parent":"s1","cause":"saved","created_at":"2026-01-01T10:30:00Z"},
                {"kind":"box","id":"b2","name":"try","parent":"b1","status":"standby",
                "created_at":"2026-01-01T11:00:00Z"}]}
                """;
        assertThat(text("timeline", json, 80)).isEqualTo("""
                ● task-1  running, 3h ago
                ├─◆ s1  saved by hand, 2h ago
                │ ◆ s2  saved by hand, 1h 30m ago
                └─○ try  standby, 1h ago
                """);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 50, 5000})
    void aTimelineOfAnyDepthEnds(int depth) {
        StringBuilder nodes = new StringBuilder("{\"kind\":\"box\",\"id\":\"n0\",\"parent\":\"n" + depth + "\"}");
        for (int i = 1; i <= depth; i++) {
            nodes.append(",{\"kind\":\"box\",\"id\":\"n" + i + "\",\"parent\":\"n" + (i / 2 * 2 == i ? i - 1 : i - 2)
                    + "\"}");
        }
        String circle = text("timeline", "{\"nodes\":[" + nodes + "]}", 80);
        assertThat(circle.lines())
                .allSatisfy(line -> assertThat(Harmless.columns(line)).isLessThanOrEqualTo(80));
    }

    @Test
    void timesAreReadAsTheApiWritesThem() {
        for (String time :
                List.of("2026-01-01T12:00:00Z", "2024-02-29T23:59:59.123Z", "1999-12-31T00:00:01.123456789Z")) {
            assertThat(Fields.of(Map.of("at", time)).time("at")).isEqualTo(Instant.parse(time));
        }
        for (String time : List.of("", "2026-02-30T00:00:00Z", "2026-01-01T25:00:00Z", "2026-01-01", "now")) {
            assertThat(Fields.of(Map.of("at", time)).time("at")).as(time).isNull();
        }
    }

    @Test
    void sizesAndTimesAreForPeople() {
        assertThat(Human.size(10_239L)).isEqualTo("10K");
        assertThat(Human.size(10_200L)).isEqualTo("10K");
        assertThat(Human.size(null)).isEqualTo("-");
        assertThat(Human.size(0L)).isEqualTo("0B");
        assertThat(Human.size(1536L)).isEqualTo("1.5K");
        assertThat(Human.size(8L << 30)).isEqualTo("8G");
        assertThat(Human.duration(59)).isEqualTo("59s");
        assertThat(Human.duration(75)).isEqualTo("1m 15s");
        assertThat(Human.duration(3600)).isEqualTo("1h");
        assertThat(Human.duration(90_000)).isEqualTo("1d 1h");
        assertThat(Human.duration(-5)).isEqualTo("0s");
    }

    @Test
    void hostileTextIsMadeHarmlessAndWideTextIsMeasured() {
        assertThat(Harmless.line("a\u001b[2Jb\nc\u200bd\u0085e\ud800f"))
                .isEqualTo("a\uFFFD[2Jb c\uFFFDd\uFFFDe\uFFFDf");
        assertThat(Harmless.columns("日本")).isEqualTo(4);
        assertThat(Harmless.cut("日本語", 5)).isEqualTo("日本…");
        assertThat(Harmless.cut("x".repeat(10_000_000), 10)).isEqualTo("xxxxxxxxx…");
        assertThat(Harmless.cut("short", 5)).isEqualTo("short");
        assertThat(Harmless.cut("short", 0)).isEmpty();
    }
}
