package io.boxd.control;

import io.boxd.accounts.AccountCommand;
import io.boxd.accounts.AccountRecord;
import io.boxd.accounts.AccountRows;
import io.boxd.accounts.Holding;
import io.boxd.accounts.OrganisationRow;
import io.boxd.accounts.Principal;
import io.boxd.accounts.Quota;
import io.boxd.accounts.Share;
import io.boxd.accounts.Usage;
import io.boxd.accounts.UserRow;
import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.common.Json;
import io.boxd.meter.Consumption;
import io.boxd.meter.Used;
import io.boxd.worker.Box;
import io.boxd.worker.Boxes;
import io.boxd.worker.KeptSnapshot;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** What boxes have used, and what somebody has and may have. */
final class UsageVerbs {
    private static final Duration USUAL_TIME = Duration.ofDays(30);
    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final long MILLIS_PER_SECOND = 1000;

    private final AccountRecord accounts;
    private final Boxes boxes;
    private final Quota usual;
    private final InstantSource clock;

    /** @param usual what an account may have unless an administrator says otherwise */
    UsageVerbs(AccountRecord accounts, Boxes boxes, Quota usual, InstantSource clock) {
        this.accounts = accounts;
        this.boxes = boxes;
        this.usual = usual;
        this.clock = clock;
    }

    Map<String, Handler> handlers() {
        return Map.of(
                "usage", this::usage, "quota show", Handler.about(this::show), "quota set", Handler.about(this::set));
    }

    private JsonNode usage(Asked asked) {
        Principal who = asked.who();
        Parameters said = asked.said();
        said.notBoth("box", "org");
        Instant since = clock.instant().minus(said.seconds("since_s").orElse(USUAL_TIME));
        Predicate<Used> wanted = said.text("box")
                .<Predicate<Used>>map(box -> {
                    String id = asked.boxes().find(box).id();
                    return used -> used.box().equals(id);
                })
                .or(() -> said.text("org").map(name -> ofOrganisation(who, name)))
                .orElse(used -> used.owner().equals(who.user()));
        List<Used> used = boxes.used(since).stream().filter(wanted).toList();
        return answer(since, used);
    }

    /** Owners see all of it, members what is their own. */
    private Predicate<Used> ofOrganisation(Principal who, String name) {
        OrganisationRow organisation = accounts.rows()
                .organisationNamed(name)
                .filter(one -> who.administrator() || one.has(who.user()))
                .orElseThrow(() -> Failures.notFound(
                        "there is no organisation " + Printable.line(name), "See them all: boxd org list."));
        boolean all = who.administrator() || organisation.isOwner(who.user());
        return used -> used.organisation().equals(Optional.of(organisation.id()))
                && (all || used.owner().equals(who.user()));
    }

    private JsonNode answer(Instant since, List<Used> used) {
        AccountRows rows = accounts.rows();
        Map<String, String> names = boxes.list().stream().collect(Collectors.toMap(Box::id, Box::name));
        ObjectNode answer = Json.object();
        answer.put("since", Answers.time(since));
        ArrayNode list = answer.putArray("boxes");
        Map<String, Consumption> members = new LinkedHashMap<>();
        Consumption total = Consumption.none();
        for (Used one : used) {
            ObjectNode row = list.addObject();
            row.put("box_id", one.box());
            row.put("box_name", names.get(one.box()));
            row.put("owner", userName(rows, one.owner()));
            row.put(
                    "org",
                    one.organisation()
                            .flatMap(rows::organisation)
                            .map(OrganisationRow::name)
                            .orElse(null));
            put(row, one.consumption());
            members.merge(userName(rows, one.owner()), one.consumption(), Consumption::plus);
            total = total.plus(one.consumption());
        }
        ArrayNode people = answer.putArray("members");
        members.forEach((name, consumption) -> put(people.addObject().put("user", name), consumption));
        put(answer.putObject("total"), total);
        return answer;
    }

    private static String userName(AccountRows rows, String id) {
        return rows.user(id).map(UserRow::name).orElse(id);
    }

    private static void put(ObjectNode answer, Consumption used) {
        answer.put("cpu_ms", used.cpuNanos() / NANOS_PER_MILLI);
        answer.put("memory_mib_s", used.memoryMebibyteMillis() / MILLIS_PER_SECOND);
        answer.put("disk_mib_s", used.diskMebibyteMillis() / MILLIS_PER_SECOND);
        answer.put("received_bytes", used.receivedBytes());
        answer.put("sent_bytes", used.sentBytes());
    }

    private JsonNode show(Principal who, Parameters said) {
        UserRow user = said.text("user")
                .filter(name -> !name.equals(who.name()))
                .map(name -> other(who, name))
                .orElseGet(() -> accounts.rows().user(who.user()).orElseThrow());
        return quota(user);
    }

    private UserRow other(Principal who, String name) {
        if (!who.administrator()) {
            throw new BoxdException(
                    ErrorCode.PERMISSION_DENIED, "what others have is for administrators", "Ask one of them.", null);
        }
        return accounts.rows()
                .userNamed(name)
                .orElseThrow(() -> Failures.notFound("there is no user " + Printable.line(name), ""));
    }

    private JsonNode quota(UserRow user) {
        AccountRows rows = accounts.rows();
        List<Holding> theirs = Share.own(rows, user.id(), usual).counted(holdings(boxes.list()));
        ObjectNode answer = Json.object();
        answer.put("user", user.name());
        Usage used = Usage.of(theirs, snapshotsOf(user.id()));
        answer.putObject("used")
                .put("boxes", used.boxes())
                .put("running_boxes", used.runningBoxes())
                .put("cpus", used.cpus())
                .put("memory_bytes", used.memoryBytes())
                .put("disk_bytes", used.diskBytes())
                .put("snapshots", used.snapshots());
        Quota limit = user.quota().orElse(usual);
        answer.putObject("limit")
                .put("boxes", limit.boxes())
                .put("running_boxes", limit.runningBoxes())
                .put("cpus", limit.cpus())
                .put("memory_bytes", limit.memoryBytes())
                .put("disk_bytes", limit.diskBytes())
                .put("snapshots", limit.snapshots());
        return answer;
    }

    private int snapshotsOf(String user) {
        Set<String> theirs = boxes.list().stream()
                .filter(box -> box.owner().equals(user))
                .map(Box::id)
                .collect(Collectors.toSet());
        return (int) boxes.snapshots(Optional.empty()).stream()
                .map(KeptSnapshot::box)
                .filter(theirs::contains)
                .count();
    }

    private static List<Holding> holdings(List<Box> all) {
        return all.stream()
                .map(box -> new Holding(
                        box.owner(),
                        box.sharing().organisation(),
                        box.size().cpus(),
                        box.size().memoryBytes(),
                        box.size().diskBytes(),
                        isAwake(box)))
                .toList();
    }

    private static boolean isAwake(Box box) {
        return switch (box.status()) {
            case STARTING, RUNNING -> true;
            case STANDBY, HIBERNATED, STOPPED, FAILED, DESTROYED -> false;
        };
    }

    private JsonNode set(Principal who, Parameters said) {
        UserRow user = other(who, said.required("user"));
        Quota now = user.quota().orElse(usual);
        Quota next = new Quota(
                said.count("boxes", Integer.MAX_VALUE).orElse(now.boxes()),
                said.count("running_boxes", Integer.MAX_VALUE).orElse(now.runningBoxes()),
                said.count("cpus", Integer.MAX_VALUE).orElse(now.cpus()),
                said.number("memory_bytes").orElse(now.memoryBytes()),
                said.number("disk_bytes").orElse(now.diskBytes()),
                said.count("snapshots", Integer.MAX_VALUE).orElse(now.snapshots()));
        accounts.apply(new AccountCommand.SetQuota(who.user(), user.id(), Optional.of(next)));
        return quota(accounts.rows().user(user.id()).orElseThrow());
    }
}
