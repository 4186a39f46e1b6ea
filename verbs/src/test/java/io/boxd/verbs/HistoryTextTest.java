package io.boxd.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.PlainJson;
import java.time.Instant;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Events, the audit and webhooks as people see them. */
@Tag("unit")
final class HistoryTextTest {
    private static final Look NARROW = new Look(80, false, Instant.parse("2026-11-18T10:00:00Z"));
    private static final String EVENT = """
        {"sequence":17,"time":"2026-11-18T09:41:07.123Z","kind":"paused","box_id":"bx_1","box_name":"task-1",\
        "status":"standby","cause":"nothing happened in it for 30 seconds, and nobody was there \\u001b[31m",\
        "request_id":null,"details":{}}\
        """;
    private static final String ENTRY = """
        {"sequence":9,"time":"2026-11-18T09:41:07.123Z","kind":"deed","account":"local","token_id":null,"door":"http",\
        "remote":"127.0.0.1","request_id":null,"verb":"fork","box_id":"bx_1","box_name":"task-1","exec_id":null,\
        "subject":"bx_2","outcome":"ok","duration_ms":120,"count":0}\
        """;

    private static Verb verb(String name) {
        return Verbs.named(name).orElseThrow();
    }

    private static String text(String verb, String json) {
        String text = Answers.text(verb(verb), PlainJson.parse(json), NARROW);
        assertThat(text.lines())
                .allSatisfy(line -> assertThat(Harmless.columns(line)).as(line).isLessThanOrEqualTo(80));
        assertThat(text).doesNotContain("\u001b");
        return text;
    }

    @Test
    void eventsAreATable() {
        assertThat(text("events", "{\"events\":[" + EVENT + "],\"cursor\":17}"))
                .startsWith(" N  TIME            BOX     EVENT   CAUSE")
                .contains("17  11-18 09:41:07  task-1  paused  nothing happened in it");
        assertThat(text("events", "{\"events\":[],\"cursor\":null}")).isEqualTo("No events.\n");
    }

    @Test
    void whoeverFollowsGetsALineForEach() {
        Fields event = Fields.of(PlainJson.parse(EVENT));
        String line = Answers.line(verb("events"), event, NARROW);
        assertThat(line)
                .startsWith("11-18 09:41:07  task-1            paused")
                .endsWith("\n")
                .doesNotContain("\u001b");
        assertThat(Harmless.columns(line.strip())).isLessThanOrEqualTo(80);
        String entry = Answers.line(verb("audit"), Fields.of(PlainJson.parse(ENTRY)), NARROW);
        assertThat(entry).isEqualTo("11-18 09:41:07  local@127.0.0.1       fork            ok  task-1  bx_2\n");
    }

    @Test
    void theAuditIsATable() {
        assertThat(text(
                        "audit",
                        "[" + ENTRY + ",{\"sequence\":10,\"kind\":\"lost\",\"count\":3},"
                                + "{\"sequence\":11,\"kind\":\"unsealed\",\"count\":0}]"))
                .contains("local", "fork", "task-1", "ok")
                .contains("(3 lost)", "(no seal)");
    }

    @Test
    void webhooksShowWhetherTheyWork() {
        String hook = """
            {"id":"wh_1","url":"https://example.org/boxd","events":[],"created_at":"2026-11-18T09:41:07Z",\
            "state":"failing","cursor":4,"attempts":3,"last_failure":"it answered with status 503",\
            "next_attempt_at":null,"dead":2,"secret":"whs_1"}\
            """;
        assertThat(text("webhook list", "[" + hook + "]"))
                .contains("wh_1", "failing", "it answered")
                .doesNotContain("whs_1");
        assertThat(text("webhook add", hook)).contains("shown only now: whs_1");
        assertThat(text("webhook test", "{\"delivered\":true,\"status\":200,\"took_ms\":12}"))
                .isEqualTo("delivered: status 200 in 12 ms\n");
        assertThat(text(
                        "webhook dead list",
                        "[{\"webhook_id\":\"wh_1\",\"sequence\":17,\"event\":" + EVENT
                                + ",\"attempts\":9,\"last_failure\":\"it was not there\"}]"))
                .contains("wh_1", "17", "paused", "it was not there");
        assertThat(text("webhook dead retry", "{\"delivered\":1,\"left\":2,\"failure\":\"status 500\"}"))
                .isEqualTo("1 delivered, 2 left: status 500\n");
    }
}
