package io.boxd.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.verbs.Route;
import io.boxd.verbs.Verb;
import io.boxd.verbs.Verbs;
import io.boxd.worker.CheckpointRule;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** What boxes there are, said in verbs; no machine and no agent is needed for that. */
@Tag("unit")
class BoxVerbsTest {
    private final TestingControl house = new TestingControl();

    @AfterEach
    void close() {
        house.close();
    }

    private JsonNode say(String verb, String parameters) {
        return house.say(verb, parameters);
    }

    private void assertRefused(String verb, String parameters, ErrorCode code, String message) {
        assertThatThrownBy(() -> say(verb, parameters))
                .isInstanceOfSatisfying(
                        BoxdException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageContaining(message);
    }

    @Test
    void everyVerbOfTheTableIsAnsweredOrStreamedAndNoOther() {
        List<String> streams = List.of("logs", "attach");
        for (Verb verb : Verbs.all()) {
            boolean streamed = verb.route().method() == Route.Method.SOCKET && streams.contains(verb.name());
            assertThat(house.control().verbs().contains(verb.name()))
                    .as(verb.name())
                    .isEqualTo(!streamed);
        }
        assertThat(Verbs.all().stream().map(Verb::name))
                .containsAll(house.control().verbs());
    }

    @Test
    void aNewBoxHasDefaultsAndAReadableName() {
        JsonNode box = say("new", "{}");
        assertThat(box.path("name").asString()).matches("[a-z]+-[a-z]+");
        assertThat(box.path("status").asString()).isEqualTo("running");
        assertThat(box.path("cpus").asInt()).isEqualTo(2);
        assertThat(box.path("memory_bytes").asLong()).isEqualTo(1L << 30);
        assertThat(box.path("idle_after_s").asLong()).isEqualTo(30);
        assertThat(box.path("source").path("image").asString()).isEqualTo("base");
        assertThat(box.path("accel").asString()).isEqualTo("tcg");
        assertThat(box.path("timings").path("ready_ms").asLong()).isEqualTo(12);
        assertThat(box.propertyNames())
                .contains("id", "status_reason", "forked_from", "expires_at", "ip", "checkpoint_every", "node");
        assertThat(box.path("expires_at").isNull()).isTrue();
    }

    @Test
    void everythingThatCanBeSaidOfANewBoxIsHeeded() {
        JsonNode box = say(
                "new",
                "{'name':'task-1','image':'tiny','cpus':1,'memory_bytes':536870912,'disk_bytes':1073741824,"
                        + "'env':{'A':'1'},'labels':{'job':'nightly'},'idle_after_s':0,'hibernate_after_s':60,"
                        + "'ttl_s':7200,'checkpoint_every':'exec','no_wait':true}");
        assertThat(box.path("name").asString()).isEqualTo("task-1");
        assertThat(box.path("image").asString()).isEqualTo("tiny");
        assertThat(box.path("status").asString()).isEqualTo("starting");
        assertThat(box.path("labels").path("job").asString()).isEqualTo("nightly");
        assertThat(box.path("idle_after_s").asLong()).isZero();
        assertThat(box.path("hibernate_after_s").asLong()).isEqualTo(60);
        assertThat(box.path("checkpoint_every").asString()).isEqualTo("exec");
        assertThat(box.path("expires_at").asString()).isNotBlank();
        assertThat(house.boxes().find("task-1").environment()).containsEntry("A", "1");
        assertThat(house.boxes().find("task-1").checkpoints()).isEqualTo(new CheckpointRule.EachCommand());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "-a",
                "a-",
                "A",
                "a_b",
                "a.b",
                "3000-app",
                "3000",
                "boxd",
                "api",
                "www",
                "admin",
                "é",
                "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                "a b",
                "a\u001b[31m"
            })
    void namesThatCannotBeAreRefused(String name) {
        assertThatThrownBy(() -> Names.box(name)).isInstanceOfSatisfying(BoxdException.class, e -> {
            assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
            assertThat(e.hint()).isNotBlank();
            assertThat(e.getMessage()).doesNotContain("\u001b");
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "task-1", "a1", "x-3000", "1a", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"})
    void namesThatCanBeAreTaken(String name) {
        assertThat(Names.box(name)).isEqualTo(name);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "new|{'nam':'x'}|no parameter 'nam'",
                "new|{'cpus':'2'}|'cpus' is a whole number",
                "new|{'cpus':0}|'cpus' is a whole number",
                "new|{'cpus':1.5}|'cpus' is a whole number",
                "new|{'cpus':99}|1 to 16 processors",
                "new|{'memory_bytes':1}|128 MiB",
                "new|{'labels':{'k':1}}|'labels' is an object of strings",
                "new|{'labels':{'':'x'}}|no label can have the key",
                "new|{'env':{'1A':'x'}}|no variable can have the name",
                "new|{'no_wait':'yes'}|'no_wait' is true or false",
                "new|{'checkpoint_every':'now'}|'checkpoint_every' is",
                "new|{'image':'base','from':'x'}|exclude each other",
                "new|{'ttl_s':999999999999}|longer than ten years",
                "info|{}|info needs 'box'",
                "label|{'box':'a','labels':{}}|no label was said",
                "destroy|{'boxes':[]}|'boxes' is an array of at least one string",
                "destroy|{'boxes':[1]}|'boxes' is an array of at least one string",
                "rollback|{'box':'a'}|one is needed of 'snapshot', 'before'",
                "resize|{'box':'a'}|one is needed of 'cpus'",
                "new|{'name':null}|'name' is a string",
                "rollback|{'box':'a','snapshot':'x','before':'ex_1234'}|exclude each other"
            })
    void whatDoesNotFitIsRefusedWithWhatWouldFit(String verb, String parameters, String message) {
        house.boxes().add("a");
        assertRefused(verb, parameters, ErrorCode.INVALID_ARGUMENT, message);
    }

    @Test
    void whatIsNotThereIsNotFound() {
        assertRefused("info", "{'box':'nobody'}", ErrorCode.NOT_FOUND, "nobody");
        assertRefused("new", "{'image':'plan9'}", ErrorCode.NOT_FOUND, "plan9");
        assertRefused("new", "{'from':'sn_1'}", ErrorCode.NOT_FOUND, "sn_1");
        assertRefused("nonsense", "{}", ErrorCode.NOT_FOUND, "nonsense");
        house.boxes().add("a");
        assertRefused("new", "{'name':'a'}", ErrorCode.ALREADY_EXISTS, "'a'");
    }

    @Test
    void theQuotaNamesLimitUseAndWhoCanRaiseIt() {
        IntStream.range(0, TestingControl.QUOTA).forEach(_ -> say("new", "{}"));
        assertThatThrownBy(() -> say("new", "{}")).isInstanceOfSatisfying(BoxdException.class, e -> {
            assertThat(e.code()).isEqualTo(ErrorCode.QUOTA_EXCEEDED);
            assertThat(e.getMessage()).contains("1 more boxes", "ada may have 5", "there are 5");
            assertThat(e.hint()).contains("ask an administrator (ada) for more: boxd quota set ada");
        });
        say("destroy", "{'boxes':['" + house.boxes().list().getFirst().name() + "']}");
        say("new", "{}");
        assertRefused(
                "fork",
                "{'box':'" + house.boxes().list().getFirst().name() + "','count':2}",
                ErrorCode.QUOTA_EXCEEDED,
                "2 more");
    }

    @Test
    void aRequestIsKnownAgainByItsKeyWhateverTheOrderOfItsFields() {
        Optional<String> key = Optional.of("k1");
        JsonNode first = again("new", "{'cpus':1,'labels':{'a':'b'}}", key);
        assertThat(again("new", "{'labels':{'a':'b'},'cpus':1}", key)).isEqualTo(first);
        assertThat(house.boxes().list()).hasSize(1);
        String fork = "{'box':'" + first.path("name").asString() + "','count':2}";
        assertThat(again("fork", fork, Optional.of("k2")).findValuesAsString("id"))
                .isEqualTo(again("fork", fork, Optional.of("k2")).findValuesAsString("id"));
        assertThat(house.boxes().list()).hasSize(3);
        assertThatThrownBy(() -> again("list", "{}", key))
                .isInstanceOf(BoxdException.class)
                .hasMessageContaining("list makes nothing");
        assertThatThrownBy(() -> again("new", "{}", Optional.of("with space")))
                .isInstanceOf(BoxdException.class)
                .hasMessageContaining("visible ASCII");
    }

    private JsonNode again(String verb, String parameters, Optional<String> key) {
        return house.control().call(TestingControl.CALLER, verb, TestingControl.object(parameters), key);
    }

    @Test
    void callersAtTheSameMomentGetExactlyAsManyAsThereAre() throws Exception {
        try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<JsonNode>> calls = IntStream.range(0, 40)
                    .mapToObj(_ -> callers.submit(() -> say("new", "{}")))
                    .toList();
            long made = 0;
            for (Future<JsonNode> call : calls) {
                try {
                    call.get();
                    made++;
                } catch (java.util.concurrent.ExecutionException e) {
                    assertThat(e.getCause())
                            .isInstanceOfSatisfying(
                                    BoxdException.class,
                                    cause -> assertThat(cause.code()).isEqualTo(ErrorCode.QUOTA_EXCEEDED));
                }
            }
            assertThat(made).isEqualTo(TestingControl.QUOTA);
        }
        assertThat(house.boxes().list()).hasSize(TestingControl.QUOTA);
    }

    @Test
    void listsByLabelAndHidesWhatDoesNotRun() {
        say("new", "{'name':'a','labels':{'job':'x'}}");
        say("new", "{'name':'b'}");
        say("stop", "{'box':'b'}");
        assertThat(say("list", "{}").findValuesAsString("name")).containsExactly("a");
        assertThat(say("list", "{'all':true}").findValuesAsString("name")).containsExactly("a", "b");
        assertThat(say("list", "{'labels':{'job':'y'}}")).isEmpty();
        assertThat(say("list", "{'labels':{'job':'x'}}")).hasSize(1);
    }

    @Test
    void renamesLabelsResizesAndSetsSleep() {
        say("new", "{'name':'a'}");
        assertThat(say("rename", "{'box':'a','name':'golden'}").path("name").asString())
                .isEqualTo("golden");
        say("label", "{'box':'golden','labels':{'k':'v','other':'1'}}");
        assertThat(say("label", "{'box':'golden','labels':{'k':null}}")
                        .path("labels")
                        .propertyNames())
                .containsExactly("other");
        assertThat(say("resize", "{'box':'golden','cpus':4}").path("cpus").asInt())
                .isEqualTo(4);
        assertRefused("resize", "{'box':'golden','disk_bytes':1073741824}", ErrorCode.INVALID_ARGUMENT, "only grows");
        JsonNode idle = say("idle", "{'box':'golden','idle_after_s':0}");
        assertThat(idle.path("idle_after_s").asLong()).isZero();
        assertThat(idle.path("hibernate_after_s").asLong()).isEqualTo(600);
    }

    @Test
    void forksOneOrMany() {
        say("new", "{'name':'a'}");
        JsonNode fork = say("fork", "{'box':'a','name':'b','labels':{'try':'1'}}");
        assertThat(fork.path("forked_from").asString())
                .isEqualTo(house.boxes().find("a").id());
        assertThat(fork.path("pause_ms").asLong()).isEqualTo(7);
        assertThat(fork.path("dirty_bytes").asLong()).isEqualTo(4096);
        JsonNode forks = say("fork", "{'box':'a','name':'c','count':2,'paused':true}");
        assertThat(forks.findValuesAsString("name")).containsExactly("c-1", "c-2");
        assertThat(forks.get(0).path("status").asString()).isEqualTo("standby");
        assertThat(say("fork", "{'box':'a','count':1}").isArray()).isTrue();
        assertThat(say("promote", "{'box':'b'}").path("name").asString()).isEqualTo("a");
        assertThat(say("destroy", "{'boxes':['a'],'tree':true}").path("destroyed"))
                .hasSize(4);
    }

    @Test
    void movesSayHowLongTheyTookAndWhetherAnythingChanged() {
        say("new", "{'name':'a'}");
        JsonNode paused = say("pause", "{'box':'a'}");
        assertThat(paused.path("suspend_us").asLong()).isEqualTo(1500);
        assertThat(paused.path("changed").asBoolean()).isTrue();
        assertThat(say("pause", "{'box':'a'}").path("changed").asBoolean()).isFalse();
        assertThat(say("resume", "{'box':'a'}").path("resume_us").asLong()).isEqualTo(1500);
        assertThat(say("hibernate", "{'box':'a'}").path("hibernate_ms").asLong())
                .isEqualTo(1);
        assertThat(say("wake", "{'box':'a'}").path("wake_ms").asLong()).isEqualTo(1);
        assertThat(say("stop", "{'box':'a'}").path("took_ms").asLong()).isEqualTo(1);
        assertThat(say("start", "{'box':'a'}").path("status").asString()).isEqualTo("running");
        assertThat(say("reboot", "{'box':'a'}").path("changed").asBoolean()).isTrue();
        assertThat(say("busy", "{'box':'a','for_s':60}").path("until").asString())
                .isNotBlank();
        JsonNode why = say("why", "{'box':'a'}");
        assertThat(why.path("next_status").asString()).isEqualTo("standby");
        assertThat(why.path("sources").get(0).path("kind").asString()).isEqualTo("holds");
        assertThat(say("top", "{}").get(0).path("cpu_percent").asDouble()).isEqualTo(12.3);
        assertThat(say("status", "{}").path("boxes").path("running").asInt()).isEqualTo(1);
    }

    @Test
    void snapshotsAreKeptShownListedAndDeleted() {
        say("new", "{'name':'a'}");
        JsonNode clean = say("snapshot save", "{'box':'a','label':'clean'}");
        assertThat(clean.path("box_name").asString()).isEqualTo("a");
        assertThat(clean.path("cause").asString()).isEqualTo("saved");
        assertThat(say("snapshot show", "{'snapshot':'clean'}")).isEqualTo(clean);
        assertThat(say("snapshot list", "{}")).hasSize(1);
        JsonNode back = say("rollback", "{'box':'a','snapshot':'clean'}");
        assertThat(back.path("left_snapshot").path("cause").asString()).isEqualTo("left");
        assertThat(back.path("name").asString()).isEqualTo("a");
        assertRefused("rollback", "{'box':'a','before':'ex_1234'}", ErrorCode.NOT_FOUND, "before ex_1234");
        assertThat(say("new", "{'name':'b','from':'clean'}").path("source").path("snapshot"))
                .isEqualTo(clean.path("id"));
        assertRefused("new", "{'from':'clean','cpus':1}", ErrorCode.INVALID_ARGUMENT, "the snapshot's size");
        assertThat(say("snapshot rm", "{'snapshot':'clean'}").path("deleted").get(0))
                .isEqualTo(clean.path("id"));
    }

    @Test
    void theTimelineIsTheWholeFamilyAndNobodyElse() {
        say("new", "{'name':'a'}");
        say("new", "{'name':'stranger'}");
        String first =
                say("snapshot save", "{'box':'a','label':'one'}").path("id").asString();
        String second = say("snapshot save", "{'box':'a'}").path("id").asString();
        say("fork", "{'box':'a','name':'b'}");
        say("new", "{'name':'c','from':'one'}");
        JsonNode timeline = say("timeline", "{'box':'b'}");
        assertThat(timeline.path("nodes").findValuesAsString("name"))
                .contains("a", "b", "c")
                .doesNotContain("stranger");
        Map<String, String> parents = new HashMap<>();
        timeline.path("nodes")
                .forEach(node -> parents.put(
                        node.path("id").asString(), node.path("parent").asString("")));
        assertThat(parents)
                .containsEntry(first, "")
                .containsEntry(second, first)
                .containsEntry(house.boxes().find("a").id(), second)
                .containsEntry(house.boxes().find("b").id(), second)
                .containsEntry(house.boxes().find("c").id(), first);
        assertThat(timeline.path("nodes"))
                .filteredOn(node -> node.path("current").asBoolean())
                .extracting(node -> node.path("name").asString())
                .containsExactly("b");
        assertThat(timeline.path("nodes")).hasSize(5);
    }

    @Test
    void aBoxThatBecameWhatItsCopyWasDoesNotHangOnItself() {
        say("new", "{'name':'a'}");
        say("fork", "{'box':'a','name':'b'}");
        say("snapshot save", "{'box':'b','label':'better'}");
        say("rollback", "{'box':'a','snapshot':'better'}");
        JsonNode nodes = say("timeline", "{'box':'a'}").path("nodes");
        assertThat(nodes).hasSize(4);
        assertThat(nodes)
                .as("where it came from, and the state that it left, came from nothing that is kept")
                .filteredOn(node -> node.path("parent").isNull())
                .extracting(node -> node.path("cause").asString())
                .containsExactly("saved", "left");
    }

    @Test
    void imagesAreListedBuiltAndRemoved() {
        assertThat(say("image list", "{}").findValuesAsString("name")).containsExactly("base", "tiny");
        assertThat(say("image build", "{'name':'tools','recipe':'from = 1'}")
                        .path("built")
                        .asBoolean())
                .isTrue();
        assertThat(say("image rm", "{'name':'tools'}").path("deleted").get(0).asString())
                .isEqualTo("tools");
    }
}
