package io.boxd.trials;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Several people and their programs share a server; each has what is theirs and no more. */
@Tag("machine")
class AccountsTest {
    private static final int ROOM = 3;
    private static final int CALLERS = 16;

    @SuppressWarnings("NullAway.Init")
    private Instance instance;

    @BeforeEach
    void up() throws IOException {
        instance = Instance.tiny(Map.of("BOXD_QUOTA_BOXES", String.valueOf(ROOM)));
        instance.must("./boxd up");
    }

    @AfterEach
    void down() throws IOException {
        instance.close();
    }

    private String url() {
        return instance.json("./boxd status --json").path("url").asString();
    }

    /** The command as somebody elsewhere says it, who has nothing but an address and a token. */
    private String with(String token, String line) {
        return "env -u BOXD_HOME BOXD_URL=" + url() + " BOXD_TOKEN=" + token + " ./boxd " + line;
    }

    @Test
    void aTokenDoesWhatItIsForAndTheAuditShowsTheRest() {
        JsonNode self = instance.json("./boxd whoami --json");
        assertThat(self.path("administrator").asBoolean()).isTrue();
        assertThat(instance.json("./boxd key list --json").size())
                .as("one was made")
                .isEqualTo(1);
        instance.must("./boxd new --name mine");
        instance.must("./boxd new --name job --label job=ci");
        JsonNode made = instance.json("./boxd token create ci --verbs list,new,exec,destroy --label job=ci --json");
        String token = made.path("token").asString();
        assertThat(instance.json(with(token, "list --json"))).hasSize(1);
        assertThat(instance.must(with(token, "exec job 'echo $((6 * 7))'"))).isEqualTo("42\n");
        instance.refuses(with(token, "exec mine true"), 125, "there is no box mine");
        instance.refuses(with(token, "snapshot save job"), 5, "not for snapshot save");
        instance.refuses(with(token, "new --name escaped"), 5, "certain labels");
        instance.must(with(token, "destroy job"));
        JsonNode refused =
                instance.json("./boxd audit --verb 'snapshot save' --json").path(0);
        assertThat(refused.path("outcome").asString()).isEqualTo("permission_denied");
        assertThat(refused.path("token_id").asString())
                .isEqualTo(made.path("id").asString());
        assertThat(instance.must("./boxd audit verify")).isNotBlank();
        instance.must("./boxd token revoke " + made.path("id").asString());
        instance.refuses(with(token, "list"), 5, "this token does not count");
    }

    @Test
    void whoeverIsInvitedHasBoxesOfTheirOwn() {
        instance.must("./boxd new --name secret");
        String invitation =
                instance.json("./boxd invite --json").path("invitation").asString();
        int port = instance.json("./boxd status --json")
                .path("ports")
                .path("https")
                .asInt();
        String bob = "env -u BOXD_HOME HOME=$PWD/bob ./boxd ";
        instance.must("mkdir bob; " + bob + "login https://localhost:" + port + " --ca home/authority.pem --invitation "
                + invitation + " --user bob");
        assertThat(instance.json(bob + "whoami --json").path("name").asString()).isEqualTo("bob");
        assertThat(instance.json(bob + "list --json")).isEmpty();
        instance.refuses(bob + "info secret", 3, "there is no box secret");
        instance.refuses(bob + "new --name secret", 4, "already");
        instance.refuses(bob + "audit", 5, "for administrators");
        instance.must(bob + "new --name bobs");
        assertThat(instance.must(bob + "exec bobs 'echo hi'")).isEqualTo("hi\n");
        assertThat(instance.json("./boxd info bobs --json").path("owner").asString())
                .isEqualTo("bob");
        JsonNode usage = instance.json(bob + "usage --json");
        assertThat(usage.path("total").path("cpu_ms").asLong()).isPositive();
        assertThat(usage.path("boxes")).hasSize(1);
        instance.refuses(
                bob + "login https://localhost:" + port + " --ca home/authority.pem --invitation " + invitation
                        + " --user eve --name again",
                5,
                "does not hold");
        instance.must(bob + "destroy bobs");
    }

    @Test
    void asManyAsThereIsRoomForAndTheOthersAreToldWhy() {
        String all = "for i in $(seq " + CALLERS + "); do (./boxd new 2>&1; echo \"status $?\") & done; wait";
        String said = instance.must(all);
        assertThat(said.lines().filter(line -> line.equals("status 0"))).hasSize(ROOM);
        assertThat(said.lines().filter(line -> line.equals("status 6"))).hasSize(CALLERS - ROOM);
        assertThat(said.lines().filter(line -> line.contains("may have " + ROOM)))
                .as(said)
                .hasSize(CALLERS - ROOM);
        assertThat(instance.json("./boxd list --json")).hasSize(ROOM);
    }

    /** What sleeps gives back what it does not use; what would wake it asks again. */
    @Test
    void whatSleepsTakesNoProcessor() {
        String me = instance.json("./boxd whoami --json").path("name").asString();
        instance.must("./boxd quota set " + me + " --running 1");
        instance.must("./boxd new --name one");
        instance.refuses("./boxd new --name two", 6, "1 more boxes that are awake would be too many");
        instance.must("./boxd hibernate one");
        instance.must("./boxd new --name two");
        instance.refuses("./boxd exec one true", 125, "awake");
        instance.must("./boxd pause two");
        assertThat(instance.must("./boxd exec one 'echo awake'")).isEqualTo("awake\n");
        instance.refuses("./boxd resume two", 6, "awake");
        JsonNode quota = instance.json("./boxd quota show --json");
        assertThat(quota.path("used").path("running_boxes").asInt()).isEqualTo(1);
        assertThat(quota.path("used").path("boxes").asInt()).isEqualTo(2);
    }
}
