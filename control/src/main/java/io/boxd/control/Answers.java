package io.boxd.control;

import io.boxd.accounts.AccountRecord;
import io.boxd.accounts.AccountRows;
import io.boxd.accounts.OrganisationRow;
import io.boxd.accounts.UserRow;
import io.boxd.common.BoxdException;
import io.boxd.common.Json;
import io.boxd.worker.Box;
import io.boxd.worker.BoxFigures;
import io.boxd.worker.CheckpointRule;
import io.boxd.worker.KeptSnapshot;
import io.boxd.worker.Origination;
import io.boxd.worker.Status;
import io.boxd.worker.Why;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Boxes, snapshots and figures as users see them in JSON: a field without a value is null, never absent. */
final class Answers {
    private final Settings settings;
    private final AccountRecord accounts;
    private final Supplier<ServerFacts> facts;

    /** @param facts which server this is; throws while it is being opened */
    Answers(Settings settings, AccountRecord accounts, Supplier<ServerFacts> facts) {
        this.settings = settings;
        this.facts = facts;
        this.accounts = accounts;
    }

    ObjectNode box(Box box) {
        ObjectNode answer = Json.object();
        answer.put("id", box.id());
        answer.put("name", box.name());
        answer.put("status", box.status().wireName());
        answer.put("status_reason", box.reason().isEmpty() ? null : box.reason());
        answer.put("ssh", ssh(box));
        answer.put("image", box.image());
        ObjectNode source = answer.putObject("source");
        switch (box.origin()) {
            case Origination.FromImage(String image) -> source.put("image", image);
            case Origination.FromSnapshot(String snapshot) -> source.put("snapshot", snapshot);
            case Origination.FromBox(String other) -> source.put("box", other);
        }
        answer.put("forked_from", box.forkedFrom().orElse(null));
        answer.put("created_at", time(box.createdAt()));
        answer.put("expires_at", time(box.expiresAt()));
        ObjectNode labels = answer.putObject("labels");
        new TreeMap<>(box.labels()).forEach(labels::put);
        answer.put("cpus", box.size().cpus());
        answer.put("memory_bytes", box.size().memoryBytes());
        answer.put("disk_bytes", box.size().diskBytes());
        answer.put("ip", box.address().orElse(null));
        answer.put("idle_after_s", box.sleep().idleAfter().toSeconds());
        answer.put("hibernate_after_s", box.sleep().hibernateAfter().toSeconds());
        switch (box.checkpoints()) {
            case CheckpointRule.Off() -> answer.putNull("checkpoint_every");
            case CheckpointRule.EachCommand() -> answer.put("checkpoint_every", "exec");
            case CheckpointRule.Every(var interval) -> answer.put("checkpoint_every", interval.toSeconds());
        }
        AccountRows rows = accounts.rows();
        answer.put("owner", rows.user(box.owner()).map(UserRow::name).orElse(null));
        answer.put(
                "org",
                box.sharing()
                        .organisation()
                        .flatMap(rows::organisation)
                        .map(OrganisationRow::name)
                        .orElse(null));
        answer.put("visibility", box.sharing().shared() ? "shared" : "private");
        answer.put("accel", settings.accelerator());
        answer.put("node", settings.node());
        answer.putObject("timings").put("create_ms", box.createMillis()).put("ready_ms", box.readyMillis());
        return answer;
    }

    private @Nullable String ssh(Box box) {
        try {
            ServerFacts.Ssh doors = facts.get().ssh();
            return doors == null ? null : doors.command(box.name());
        } catch (BoxdException e) {
            return null; // nobody can go through a door that is being opened
        }
    }

    /** A box where only which one it is matters. */
    static ObjectNode mention(Box box) {
        return Json.object()
                .put("id", box.id())
                .put("name", box.name())
                .put("status", box.status().wireName());
    }

    /** @param names of boxes by their ids; those that are gone have none */
    static ObjectNode snapshot(KeptSnapshot snapshot, Map<String, String> names) {
        ObjectNode answer = Json.object();
        answer.put("id", snapshot.id());
        answer.put("box_id", snapshot.box());
        answer.put("box_name", names.get(snapshot.box()));
        answer.put("cause", cause(snapshot));
        answer.put("label", snapshot.label().orElse(null));
        answer.put("parent", snapshot.parent().orElse(null));
        answer.put("exec_id", snapshot.execution().orElse(null));
        answer.put("command", snapshot.command().orElse(null));
        answer.put("created_at", time(snapshot.createdAt()));
        answer.put("memory_bytes", snapshot.memoryBytes());
        answer.put("disk_bytes", snapshot.bytes());
        answer.put("state", "ready");
        return answer;
    }

    static String cause(KeptSnapshot snapshot) {
        return snapshot.cause().name().toLowerCase(Locale.ROOT);
    }

    static ObjectNode figures(BoxFigures figures) {
        ObjectNode answer = Json.object();
        answer.set("box", mention(figures.box()));
        answer.put("cpu_percent", Math.round(figures.cpuPercent() * 10) / 10.0);
        answer.put("memory_bytes", figures.memoryBytes());
        answer.put("received_bytes", figures.receivedBytes());
        answer.put("sent_bytes", figures.sentBytes());
        answer.put("in_status_s", figures.inStatus().toSeconds());
        return answer;
    }

    static ObjectNode why(Why why) {
        ObjectNode answer = Json.object();
        answer.set("box", mention(why.box()));
        answer.put("since", time(why.since()));
        answer.put("because", why.because());
        answer.put("sleeps_in_s", why.sleepsIn().map(left -> left.toSeconds()).orElse(null));
        answer.put(
                "next_status",
                why.sleepsIn().isPresent() ? furtherAsleep(why.box().status()) : null);
        ArrayNode sources = answer.putArray("sources");
        for (Why.Source source : why.sources()) {
            sources.addObject()
                    .put("kind", source.kind().name().toLowerCase(Locale.ROOT))
                    .put("active", source.active())
                    .put("detail", source.detail())
                    .put("quiet_s", source.quiet().toSeconds());
        }
        return answer;
    }

    private static @Nullable String furtherAsleep(Status status) {
        return switch (status) {
            case STARTING, RUNNING -> Status.STANDBY.wireName();
            case STANDBY -> Status.HIBERNATED.wireName();
            case HIBERNATED, STOPPED, FAILED, DESTROYED -> null;
        };
    }

    static String time(Instant instant) {
        return instant.truncatedTo(ChronoUnit.MILLIS).toString();
    }

    static @Nullable String time(Optional<Instant> instant) {
        return instant.map(Answers::time).orElse(null);
    }
}
