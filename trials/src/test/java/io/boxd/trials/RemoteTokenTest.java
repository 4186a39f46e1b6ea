package io.boxd.trials;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.Json;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** What somebody elsewhere may not do: told so, remembered, and over at once when their token is revoked. */
@Tag("machine")
class RemoteTokenTest {
    private Instance instance;
    private RemoteSeat seat;

    @BeforeEach
    void up() throws IOException {
        instance = Instance.tiny(RemoteSeat.port());
        instance.must("./boxd up");
        seat = RemoteSeat.at(instance);
    }

    @AfterEach
    void close() throws IOException {
        seat.close();
        instance.close();
    }

    @Test
    void itIsForWhatItIsForAndTheAuditShowsTheRest() {
        assertThat(seat.must("id -u").strip()).isNotEqualTo("0");
        assertThat(seat.must("stat -c %a configuration/boxd/contexts.json").strip())
                .isEqualTo("600");
        seat.must("./boxd new --name a");
        assertThat(seat.must("./boxd exec a 'echo hello'")).isEqualTo("hello\n");
        seat.refuses("./boxd token create more", 5, "not for token create");
        seat.refuses("./boxd org create red", 5, "not for org create");
        seat.refuses("./boxd audit", 5, "not for audit");
        seat.refuses("./boxd image rm tiny", 5, "not for image rm");
        JsonNode error = Json.parse(seat.type("./boxd image rm tiny --json").errors());
        assertThat(error.path("error").path("code").asString()).isEqualTo("permission_denied");
        for (String verb : List.of("token create", "org create", "audit", "image rm")) {
            // What its owner did before has the same verb, and succeeded.
            assertThat(instance.json("./boxd audit --verb '" + verb + "' --json"))
                    .as(verb)
                    .anyMatch(one -> one.path("outcome").asString().equals("permission_denied")
                            && one.path("token_id").asString().equals(seat.tokenId())
                            && one.path("remote").asString().contains("127.0.0.1"));
        }
        // The next server, at the same address with the same certificate.
        instance.must("./boxd down");
        seat.refuses("./boxd list", 7, "localhost");
        instance.must("./boxd up");
        assertThat(seat.json("./boxd list --json")).hasSize(1);
        instance.must("./boxd token revoke " + seat.tokenId());
        seat.refuses("./boxd list", 5, "this token does not count");
        seat.refuses("./boxd exec a true", 125, "this token does not count");
    }
}
