package io.boxd.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.Json;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Whether the document that the server serves about itself is true: every route, every answer, every error. */
@Tag("host")
class OpenApiTest {
    private static final int FIRST_ERROR = 400;

    private final TestingDoor door = new TestingDoor();
    private Described described;

    @TempDir
    private Path folder;

    @BeforeEach
    void read() throws IOException {
        described = new Described(door);
    }

    @AfterEach
    void close() {
        door.close();
    }

    @Test
    void everyRouteIsInTheDocumentAndNothingElse() {
        Set<String> routes = new HashSet<>();
        for (Routes.Entry entry : new Routes().entries()) {
            String method = entry.method().equals(Routes.SOCKET) ? "GET" : entry.method();
            routes.add(method + " /" + String.join("/", entry.pieces()));
        }
        List<String> documented = described.operations().stream()
                .map(operation -> operation.method() + " " + operation.path())
                .toList();
        assertThat(documented).containsExactlyInAnyOrderElementsOf(routes);
        assertThat(described.operations().stream().map(Described.Operation::id)).doesNotHaveDuplicates();
    }

    @Test
    void itsReferencesLeadSomewhereAndItsPathsHaveTheirParameters() {
        references(described.document())
                .forEach(reference -> described.schemas().resolve(reference));
        for (Described.Operation operation : described.operations()) {
            List<String> inPath = Pattern.compile("\\{([^}]+)}")
                    .matcher(operation.path())
                    .results()
                    .map(result -> result.group(1))
                    .toList();
            List<String> described = TestingSchema.all(operation.json().path("parameters")).stream()
                    .filter(parameter -> parameter.path("in").asString().equals("path"))
                    .map(parameter -> parameter.path("name").asString())
                    .toList();
            assertThat(described).as(operation.id()).containsExactlyInAnyOrderElementsOf(inPath);
        }
    }

    /** What a path can be asked for with is what the document says, also where its words could be a parameter. */
    @Test
    void otherMethodsAreRefusedWithThoseThatAreDescribed() throws IOException {
        Map<String, Set<String>> methods = new TreeMap<>();
        described
                .operations()
                .forEach(operation -> methods.computeIfAbsent(operation.path(), _ -> new TreeSet<>())
                        .add(operation.method()));
        assertThat(methods.get("/v1/webhooks/dead")).containsExactly("GET");
        for (Map.Entry<String, Set<String>> path : methods.entrySet()) {
            String target = path.getKey().replaceAll("\\{[^}]+}", "x");
            for (String method : List.of("GET", "POST", "PUT", "DELETE", "PATCH")) {
                if (!path.getValue().contains(method)) {
                    TestingDoor.Answer answer = door.say(method, target, "");
                    assertThat(answer.status()).as(method + " " + target).isEqualTo(405);
                    assertThat(answer.header("Allow")).as(target).isEqualTo(String.join(", ", path.getValue()));
                }
            }
        }
    }

    private static List<String> references(JsonNode node) {
        List<String> found = new ArrayList<>();
        node.properties().forEach(property -> {
            if (property.getKey().equals("$ref")) {
                found.add(property.getValue().asString());
            }
        });
        node.forEach(child -> found.addAll(references(child)));
        return found;
    }

    /** Each operation is really done at least once; what it answers has all fields that are described, no others. */
    @Test
    void whatSucceedsIsAnsweredAsDescribed() throws Exception {
        boxes();
        sleep();
        snapshots();
        commands();
        files();
        images();
        accounts();
        HistoryDescribedTest.ask(described, door);
        for (String own : List.of("alive", "ready", "document", "metrics")) {
            described.ask(own, described.operation(own).path(), "");
        }
        described.ask("destroy", "/v1/destroy", "{'boxes':['a'],'tree':true}");
        for (Described.Operation operation : described.operations()) {
            if (!operation.isSocketOnly()) {
                assertThat(described.seen(operation))
                        .as(operation.id())
                        .anySatisfy(status -> assertThat(status).isLessThan(FIRST_ERROR));
            }
        }
    }

    /** Said again under its key, it is answered as described, too: with everything but what is shown once. */
    @Test
    void whatIsRepeatedIsAnsweredAsDescribed() throws IOException {
        Map<String, String> said = Map.of(
                "tokenCreate", "{'note':'n'}",
                "invite", "{}",
                "orgCreate", "{'name':'red'}",
                "userAdd", "{'name':'eve'}",
                "webhookAdd", "{'url':'https://192.0.2.1/'}",
                "imageBuild", "{'name':'mine','recipe':'x'}",
                "new", "{'name':'a'}");
        for (Map.Entry<String, String> one : said.entrySet()) {
            Described.Operation operation = described.operation(one.getKey());
            HttpRequest request = door.request(operation.path())
                    .header("Idempotency-Key", one.getKey())
                    .POST(HttpRequest.BodyPublishers.ofString(one.getValue().replace('\'', '"')))
                    .build();
            for (int i = 0; i < 2; i++) {
                HttpResponse<byte[]> answer = door.send(request, HttpResponse.BodyHandlers.ofByteArray());
                assertThat(answer.statusCode()).as(one.getKey()).isEqualTo(201);
                described.check(operation, answer);
            }
        }
    }

    private void boxes() throws IOException {
        described.ask(
                "new",
                "/v1/boxes",
                "{'name':'a','image':'base','cpus':1,'memory_bytes':134217728,'disk_bytes':1073741824,'env':{'K':'v'},"
                        + "'labels':{'k':'v'},'idle_after_s':0,'hibernate_after_s':60,'ttl_s':3600,"
                        + "'checkpoint_every':'exec','no_wait':false}");
        described.ask("new", "/v1/boxes", "{'name':'b','checkpoint_every':60}");
        described.ask("list", "/v1/boxes?all=true&labels=k%3Dv&limit=1", "");
        described.ask("info", "/v1/boxes/a", "");
        described.ask("rename", "/v1/boxes/b/rename", "{'name':'c'}");
        described.ask("label", "/v1/boxes/c/label", "{'labels':{'x':'y','z':null}}");
        described.ask("resize", "/v1/boxes/c/resize", "{'cpus':3}");
        described.ask("fork", "/v1/boxes/a/fork", "{'name':'copy','labels':{'a':'b'},'paused':true}");
        described.ask("fork", "/v1/boxes/c/fork", "{'count':1}");
        described.ask("promote", "/v1/boxes/copy/promote", "");
        described.ask("top", "/v1/top", "");
        described.ask("status", "/v1/status", "");
    }

    private void sleep() throws IOException {
        for (String move : List.of("pause", "resume", "hibernate", "wake", "stop", "start", "reboot")) {
            described.ask(move, "/v1/boxes/c/" + move, "");
        }
        described.ask("idle", "/v1/boxes/a/idle", "{'idle_after_s':30}");
        described.ask("busy", "/v1/boxes/a/busy", "{'for_s':30}");
        described.ask("why", "/v1/boxes/a/why", "");
    }

    private void snapshots() throws IOException {
        described.ask("snapshotSave", "/v1/boxes/a/snapshots", "{'label':'clean'}");
        described.ask("snapshotSave", "/v1/boxes/a/snapshots", "");
        described.ask("snapshotList", "/v1/snapshots?box=a&limit=1", "");
        described.ask("snapshotShow", "/v1/snapshots/clean", "");
        described.ask("rollback", "/v1/boxes/a/rollback", "{'snapshot':'clean'}");
        described.ask("timeline", "/v1/boxes/a/timeline", "");
        described.ask("snapshotRm", "/v1/snapshots/clean", "");
    }

    private void commands() throws IOException {
        described.ask(
                "exec",
                "/v1/boxes/a/exec",
                "{'argv':['sh','-c','cat; exit 3'],'stdin':'text','timeout_s':60,'cwd':'/tmp','env':{'K':'v'}}");
        String id = described
                .ask("exec", "/v1/boxes/a/exec", "{'argv':['sleep','100'],'detach':true}")
                .path("exec_id")
                .asString();
        described.ask("ps", "/v1/boxes/a/executions?limit=1", "");
        described.ask("kill", "/v1/boxes/a/executions/" + id + "/kill", "{'signal':'KILL'}");
        described.ask("logs", "/v1/boxes/a/logs?exec_id=" + id + "&follow=true", "");
    }

    private void files() throws IOException {
        String path = "path=" + folder.resolve("file");
        described.ask("writeFile", "/v1/boxes/a/files?mode=0600&" + path, "content");
        described.ask("readFile", "/v1/boxes/a/files?" + path, "");
        described.ask("statFile", "/v1/boxes/a/stat?" + path, "");
        Described.Operation pack = described.operation("packTree");
        HttpResponse<byte[]> archive = described.send(pack, "/v1/boxes/a/tree?path=" + folder, "");
        described.check(pack, archive);
        Described.Operation unpack = described.operation("unpackTree");
        described.check(
                unpack,
                door.send(
                        door.request("/v1/boxes/a/tree?path=" + folder.resolve("other"))
                                .PUT(java.net.http.HttpRequest.BodyPublishers.ofByteArray(archive.body()))
                                .build(),
                        HttpResponse.BodyHandlers.ofByteArray()));
    }

    private void accounts() throws IOException {
        described.ask("whoami", "/v1/whoami", "");
        described.ask(
                "keyAdd",
                "/v1/keys",
                "{'key':'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHIsQi2JxZ8l3mD4gP5Y5Xv4y0s1b1V2m3n4o5p6q7r8 me'}");
        String fingerprint = described
                .ask("keyList", "/v1/keys", "")
                .path(1)
                .path("fingerprint")
                .asString();
        described.ask("keyRm", "/v1/keys?fingerprint=" + fingerprint.replace("+", "%2B"), "");
        String token = described
                .ask("tokenCreate", "/v1/tokens", "{'note':'n','read_only':true,'ttl_s':60,'verbs':'list'}")
                .path("id")
                .asString();
        described.ask("tokenList", "/v1/tokens", "");
        described.ask("tokenRevoke", described.operation("tokenRevoke").at(Map.of("token", token)), "");
        described.ask("orgCreate", "/v1/organisations", "{'name':'red'}");
        described.ask("orgList", "/v1/organisations", "");
        described.ask("orgPool", "/v1/organisations/red/pool", "{'boxes':5,'cpus':10,'memory_bytes':1073741824}");
        described.ask("orgPool", "/v1/organisations/red/pool", "{'none':true}");
        described.ask("orgAdd", "/v1/organisations/red/members", "{'user':'bob','role':'owner'}");
        described.ask("orgMembers", "/v1/organisations/red/members", "");
        described.ask("orgRemove", "/v1/organisations/red/members/bob", "");
        String invitation = invitation();
        described.ask("join", "/v1/join", "{'invitation':'" + invitation + "'}");
        described.ask("userAdd", "/v1/users", "{'name':'eve'}");
        described.ask("userList", "/v1/users", "");
        described.ask("userAdmin", "/v1/users/eve/admin", "{'off':true}");
        described.ask("userRm", "/v1/users/eve", "");
        invitation();
        String open = described
                .ask("invitationList", "/v1/invitations", "")
                .path(0)
                .path("id")
                .asString();
        described.ask("invitationRm", "/v1/invitations/" + open, "");
        described.ask("usage", "/v1/usage?since_s=3600", "");
        described.ask("quotaShow", "/v1/quota", "");
        described.ask("quotaSet", "/v1/quota/bob", "{'boxes':3}");
        described.ask("loginWays", "/v1/login", "");
        String login =
                described.ask("loginBegin", "/v1/login", "").path("handle").asString();
        described.ask("loginAsk", "/v1/login/" + login, "");
        described.ask("enter", "/v1/enter", "{'invitation':'" + invitation() + "','name':'dan'}");
    }

    private String invitation() throws IOException {
        return described
                .ask("invite", "/v1/invitations", "{'org':'red'}")
                .path("invitation")
                .asString();
    }

    private void images() throws IOException {
        described.ask("imageBuild", "/v1/images", "{'name':'mine','recipe':'x'}");
        described.ask("imageList", "/v1/images", "");
        described.ask("imageRm", "/v1/images/mine", "");
    }

    @Test
    void theMessagesOfSocketsAreAsDescribed() {
        door.house().boxes().add("a");
        JsonNode messages = described.operation("execStream").json().path("x-boxd-messages");
        String start = "{'start':{'argv':['sh','-c','cat >&2; exit 3'],'stdin':true}}";
        for (String message : List.of(start, "{'signal':'INT'}", "{'end_input':true}")) {
            assertThat(described.schemas().problems(messages.path("client"), Json.parse(message.replace('\'', '"'))))
                    .isEmpty();
        }
        for (String wrong : List.of("{'start':{}}", "{'start':{'script':'x','argv':['x']}}", "{'nonsense':1}")) {
            assertThat(described.schemas().problems(messages.path("client"), Json.parse(wrong.replace('\'', '"'))))
                    .as(wrong)
                    .isNotEmpty();
        }
        try (TestingSocket socket = TestingSocket.open(door, "/v1/boxes/a/exec").say(start)) {
            Set<String> kinds = new HashSet<>();
            while (!kinds.contains("ended")) {
                JsonNode text = socket.next().text();
                if (text == null) {
                    continue;
                }
                assertThat(described.schemas().problems(messages.path("server"), text))
                        .isEmpty();
                kinds.addAll(text.propertyNames());
                if (text.has("input_credit") && kinds.add("typed")) {
                    socket.type("typed");
                    socket.say("{'end_input':true}");
                }
            }
            assertThat(kinds).contains("started", "input_credit", "ended");
        }
    }

    /** The check itself: a field more, one less, or another type would be noticed. */
    @Test
    void anAnswerThatIsNotAsDescribedIsNoticed() throws IOException {
        door.house().boxes().add("a");
        ObjectNode box = (ObjectNode) described.ask("info", "/v1/boxes/a", "");
        JsonNode schema = described.document().at("/components/schemas/Box");
        assertThat(described.schemas().problems(schema, box)).isEmpty();
        assertThat(described.schemas().problems(schema, box.deepCopy().put("more", 1)))
                .isNotEmpty();
        assertThat(described.schemas().problems(schema, box.deepCopy().without("ip")))
                .isNotEmpty();
        assertThat(described.schemas().problems(schema, box.deepCopy().put("cpus", "two")))
                .isNotEmpty();
        assertThat(described.schemas().problems(schema, box.deepCopy().put("status", "dancing")))
                .isNotEmpty();
    }
}
