package io.boxd.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.common.Json;
import io.boxd.ledger.Ledger;
import io.boxd.verbs.Verb;
import io.boxd.verbs.Verbs;
import io.boxd.worker.RequestKey;
import io.boxd.worker.WorkerConfig;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Every verb that makes something makes it once for each key. */
@Tag("unit")
final class CreationsTest {
    private static final String KEY =
            "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFsqvB0R4AzVVRbHTbHjk2z6TxZTSbsk6QcCWiFBPIBn me";

    /** What makes something, what else could be said under the same key, and what lists all that there is. */
    private record Sample(String request, String other, String list, Optional<String> secret) {
        static Sample of(String request, String other, String list) {
            return new Sample(request, other, list, Optional.empty());
        }

        static Sample of(String request, String other, String list, String secret) {
            return new Sample(request, other, list, Optional.of(secret));
        }
    }

    private static final Map<String, Sample> SAMPLES = Map.of(
            "new",
            Sample.of("{'name':'one'}", "{'name':'two'}", "list"),
            "fork",
            Sample.of("{'box':'a','name':'three'}", "{'box':'a','name':'four'}", "list"),
            "snapshot save",
            Sample.of("{'box':'a'}", "{'box':'a','label':'b'}", "snapshot list"),
            "token create",
            Sample.of("{'note':'one'}", "{'note':'two'}", "token list", "token"),
            "key add",
            Sample.of("{'key':'" + KEY + "'}", "{'key':'" + KEY + " again'}", "key list"),
            "invite",
            Sample.of("{}", "{'ttl_s':60}", "invitation list", "invitation"),
            "org create",
            Sample.of("{'name':'red'}", "{'name':'blue'}", "org list"),
            "user add",
            Sample.of("{'name':'eve'}", "{'name':'mallory'}", "user list"),
            "webhook add",
            Sample.of("{'url':'https://192.0.2.1/'}", "{'url':'https://192.0.2.2/'}", "webhook list", "secret"),
            "image build",
            Sample.of("{'name':'tiny'}", "{'name':'base'}", "image list"));

    private final TestingControl house = new TestingControl();

    @TempDir
    private Path folder;

    @BeforeEach
    void open() {
        house.boxes().add("a");
    }

    @AfterEach
    void close() {
        house.close();
    }

    private JsonNode say(String verb, String said, String key) {
        return house.control().call(TestingControl.CALLER, verb, TestingControl.object(said), Optional.of(key));
    }

    private static void assertCode(ErrorCode code, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        BoxdException.class, e -> assertThat(e.code()).isEqualTo(code));
    }

    @Test
    void everyVerbThatMakesSomethingMakesItOnceForEachKey() {
        List<String> creating =
                Verbs.all().stream().filter(Verb::creates).map(Verb::name).toList();
        assertThat(SAMPLES.keySet()).containsExactlyInAnyOrderElementsOf(creating);
        for (String verb : creating) {
            Sample sample = Objects.requireNonNull(SAMPLES.get(verb));
            int before = house.say(sample.list(), "{}").size();
            JsonNode first = say(verb, sample.request(), verb.replace(' ', '-'));
            assertThat(first.path("error").isMissingNode()).isTrue();
            int after = house.say(sample.list(), "{}").size();
            assertThat(after).as(verb).isEqualTo(verb.equals("image build") ? before : before + 1);
            JsonNode again = say(verb, sample.request(), verb.replace(' ', '-'));
            String identity = first.has("id") ? "id" : first.has("fingerprint") ? "fingerprint" : "name";
            assertThat(again.path(identity)).as(verb).isEqualTo(first.path(identity));
            assertThat(again.propertyNames()).as(verb).containsExactlyElementsOf(first.propertyNames());
            sample.secret().ifPresent(secret -> {
                assertThat(first.path(secret).asString()).isNotBlank();
                assertThat(again.path(secret).isNull())
                        .as("%s: a secret is shown once", verb)
                        .isTrue();
            });
            assertCode(ErrorCode.ALREADY_EXISTS, () -> say(verb, sample.other(), verb.replace(' ', '-')));
            assertThat(house.say(sample.list(), "{}")).as(verb).hasSize(after);
        }
    }

    @Test
    void otherVerbsTakeNoKey() {
        for (Verb verb : Verbs.all()) {
            if (!verb.creates() && !verb.route().path().contains("/exec")) {
                assertCode(ErrorCode.INVALID_ARGUMENT, () -> say(verb.name(), "{}", "k"));
            }
        }
    }

    @Test
    void whatIsGoneIsNotMadeAnew() {
        JsonNode token = say("token create", "{}", "k");
        house.say("token revoke", "{'token':'" + token.path("id").asString() + "'}");
        assertCode(ErrorCode.NOT_FOUND, () -> say("token create", "{}", "k"));
        assertThat(say("token create", "{}", "k2").path("id")).isNotEqualTo(token.path("id"));
    }

    @Test
    void aRequestThatFailedMayBeRepeated() {
        house.say("user add", "{'name':'eve'}");
        assertCode(ErrorCode.ALREADY_EXISTS, () -> say("user add", "{'name':'eve'}", "k"));
        house.say("user rm", "{'user':'eve'}");
        assertThat(say("user add", "{'name':'eve'}", "k").path("name").asString())
                .isEqualTo("eve");
    }

    @Test
    void manyAtOnceMakeOne() {
        int before = house.say("token list", "{}").size();
        List<CompletableFuture<Boolean>> asked = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            asked.add(CompletableFuture.supplyAsync(() -> isAnswered("k"), Thread::startVirtualThread));
        }
        assertThat(asked.stream().filter(CompletableFuture::join).count()).isPositive();
        assertThat(house.say("token list", "{}")).hasSize(before + 1);
    }

    private boolean isAnswered(String key) {
        try {
            return say("token create", "{}", key).has("id");
        } catch (BoxdException e) {
            assertThat(e.code()).isEqualTo(ErrorCode.WRONG_STATE);
            return false;
        }
    }

    /** A server that ends after so many steps; what it has decided lasts. */
    private static final class Killed implements RequestRecord {
        private final TestingRequests real = new TestingRequests();
        private final AtomicInteger steps = new AtomicInteger();

        @Override
        public Remembered apply(RequestCommand command) {
            Remembered remembered = real.apply(command);
            if (steps.decrementAndGet() == 0) {
                throw new IllegalStateException("killed");
            }
            return remembered;
        }
    }

    @Test
    void aServerThatIsKilledOnTheWayMakesNothingTwice() {
        for (int steps : new int[] {1, 2}) {
            Killed record = new Killed();
            record.steps.set(steps);
            List<String> made = new ArrayList<>();
            AtomicInteger ids = new AtomicInteger();
            Handler handler = new Creations(record, Instant::now)
                    .once(
                            _ -> "id-" + ids.incrementAndGet(),
                            (_, id) -> {
                                made.add(id);
                                return Json.object().put("id", id);
                            },
                            (_, id) -> made.contains(id)
                                    ? Optional.of(Json.object().put("id", id))
                                    : Optional.empty());
            Verb verb = Verbs.named("token create").orElseThrow();
            Asked asked = new Asked(
                    house.who("ada"),
                    house.boxes(),
                    Parameters.of(verb, Json.object(), DoorFields.ofCall(verb))
                            .repeatable(verb, "usr_ada", Optional.of("k")));
            assertThatThrownBy(() -> handler.answer(asked)).hasMessage("killed");
            assertThat(handler.answer(asked).path("id").asString()).isEqualTo("id-1");
            assertThat(handler.answer(asked).path("id").asString()).isEqualTo("id-1");
            assertThat(made).as("killed after step %d", steps).containsExactly("id-1");
        }
    }

    @Test
    void requestsAreRememberedForADayAcrossServers() {
        Instant now = Instant.parse("2026-01-01T12:00:00Z");
        RequestKey key = new RequestKey("usr_ada", "k", "hash");
        for (boolean before : new boolean[] {false, true}) {
            try (Ledger ledger =
                    Ledger.open(WorkerConfig.ledger(folder), List.of(new RequestBook()), Deadline.inSeconds(60))) {
                RequestRecord requests = new LedgerRequests(ledger);
                RequestRecord.Remembered one = requests.apply(RequestCommand.begin(key, "id-" + before, now));
                assertThat(one.before()).isEqualTo(before);
                assertThat(one.row().made()).isEqualTo("id-false");
                assertThat(one.row().done()).isEqualTo(before);
                requests.apply(RequestCommand.finish(one.row(), now));
                assertCode(
                        ErrorCode.ALREADY_EXISTS,
                        () -> requests.apply(
                                RequestCommand.begin(new RequestKey("usr_ada", "k", "another"), "id", now)));
            }
        }
        try (Ledger ledger =
                Ledger.open(WorkerConfig.ledger(folder), List.of(new RequestBook()), Deadline.inSeconds(60))) {
            RequestRecord requests = new LedgerRequests(ledger);
            Instant later = now.plus(RequestKey.REMEMBERED).plusSeconds(1);
            assertThat(requests.apply(RequestCommand.begin(key, "id-later", later))
                            .before())
                    .isFalse();
        }
    }

    @Test
    void ofOneUserOnlySoManyAreRemembered() {
        RequestRows rows = new RequestRows(3);
        Instant now = Instant.parse("2026-01-01T12:00:00Z");
        for (int i = 0; i <= 3; i++) {
            RequestKey key = new RequestKey("usr_ada", "k" + i, "hash");
            rows.apply(rows.decide(RequestCommand.begin(key, "id", now.plusMillis(i))));
        }
        RequestKey first = new RequestKey("usr_ada", "k0", "hash");
        RequestKey last = new RequestKey("usr_ada", "k3", "hash");
        Instant later = now.plusSeconds(60);
        assertThat(rows.decide(RequestCommand.begin(first, "id", later)).before())
                .isFalse();
        assertThat(rows.decide(RequestCommand.begin(last, "id", later)).before())
                .isTrue();
    }
}
