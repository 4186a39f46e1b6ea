package io.boxd.api;

import static io.boxd.api.Schema.arrayOf;
import static io.boxd.api.Schema.flag;
import static io.boxd.api.Schema.integer;
import static io.boxd.api.Schema.mapOf;
import static io.boxd.api.Schema.object;
import static io.boxd.api.Schema.oneOfWords;
import static io.boxd.api.Schema.orNull;
import static io.boxd.api.Schema.ref;
import static io.boxd.api.Schema.text;
import static io.boxd.api.Schema.time;

import io.boxd.accounts.Role;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import tools.jackson.databind.node.ObjectNode;

/** What users, tokens, organisations, and what they use look like in answers. */
final class AccountSchemas {
    private static final List<String> ROLES =
            Stream.of(Role.values()).map(Role::wireName).toList();

    private AccountSchemas() {}

    /** All shapes by their names. */
    static Map<String, ObjectNode> components() {
        Map<String, ObjectNode> all = new TreeMap<>();
        all.put("Self", object(AccountSchemas::self));
        all.put(
                "OrganisationMention",
                object(shape -> shape.has("id", text()).has("name", text()).has("role", role())));
        all.put("Scopes", object(shape -> {
            ObjectNode verbs = arrayOf(text());
            verbs.putArray("type").add("array").add("null");
            shape.has("verbs", verbs).has("labels", mapOf(text())).has("read_only", flag());
        }));
        all.put(
                "Key",
                object(shape -> shape.has("fingerprint", text())
                        .has("type", text())
                        .has("comment", text())
                        .has("added_at", time())));
        all.put("Token", object(AccountSchemas::token));
        all.put("CreatedToken", object(shape -> {
            token(shape);
            shape.has("token", orNull(text()));
        }));
        all.put(
                "Invitation",
                object(shape -> shape.has("id", text())
                        .has("invitation", orNull(text()))
                        .has("org", orNull(text()))
                        .has("role", oneOfWords(ROLES))
                        .has("expires_at", time())));
        all.put("Organisation", object(AccountSchemas::organisation));
        all.put(
                "Pool",
                object(shape ->
                        shape.has("boxes", integer(0)).has("cpus", integer(0)).has("memory_bytes", integer(0))));
        all.put(
                "User",
                object(shape -> shape.has("id", text())
                        .has("name", text())
                        .has("administrator", flag())
                        .has("boxes", integer(0))
                        .has("created_at", time())));
        all.put(
                "OpenInvitation",
                object(shape -> shape.has("id", text())
                        .has("by", orNull(text()))
                        .has("org", orNull(text()))
                        .has("role", oneOfWords(ROLES))
                        .has("created_at", time())
                        .has("expires_at", time())));
        all.put(
                "Member",
                object(shape ->
                        shape.has("user", text()).has("role", oneOfWords(ROLES)).has("limit", orNull(ref("Pool")))));
        all.put("Usage", object(AccountSchemas::usage));
        all.put("BoxUsage", object(shape -> {
            shape.has("box_id", text())
                    .has("box_name", orNull(text()))
                    .has("owner", text())
                    .has("org", orNull(text()));
            consumption(shape);
        }));
        all.put("MemberUsage", object(shape -> {
            shape.has("user", text());
            consumption(shape);
        }));
        all.put("Consumption", object(AccountSchemas::consumption));
        all.put(
                "Quota",
                object(shape ->
                        shape.has("user", text()).has("used", ref("Amounts")).has("limit", ref("Amounts"))));
        all.put("Amounts", object(AccountSchemas::amounts));
        all.put("LoginWays", object(shape -> shape.has("elsewhere", flag()).has("invitation", flag())));
        all.put("BegunLogin", object(AccountSchemas::begun));
        all.put(
                "LoginProgress",
                object(shape ->
                        shape.has("done", flag()).mayHave("user", text()).mayHave("token", text())));
        return all;
    }

    private static ObjectNode role() {
        ObjectNode role = oneOfWords(ROLES);
        role.withArray("enum").addNull();
        return orNull(role);
    }

    private static void self(Schema.Shape shape) {
        shape.has("id", text())
                .has("name", text())
                .has("administrator", flag())
                .has("organisations", arrayOf(ref("OrganisationMention")))
                .has("token", orNull(text()))
                .has("scopes", ref("Scopes"))
                .has("expires_at", orNull(time()));
    }

    private static void token(Schema.Shape shape) {
        shape.has("id", text())
                .has("note", text())
                .has("scopes", ref("Scopes"))
                .has("created_at", time())
                .has("expires_at", orNull(time()));
    }

    private static void organisation(Schema.Shape shape) {
        shape.has("id", text())
                .has("name", text())
                .has("role", role())
                .has("members", integer(0))
                .has("pool", orNull(ref("Pool")))
                .has("created_at", time());
    }

    private static void usage(Schema.Shape shape) {
        shape.has("since", time())
                .has("boxes", arrayOf(ref("BoxUsage")))
                .has("members", arrayOf(ref("MemberUsage")))
                .has("total", ref("Consumption"));
    }

    private static void consumption(Schema.Shape shape) {
        shape.has("cpu_ms", integer(0))
                .has("memory_mib_s", integer(0))
                .has("disk_mib_s", integer(0))
                .has("received_bytes", integer(0))
                .has("sent_bytes", integer(0));
    }

    private static void amounts(Schema.Shape shape) {
        shape.has("boxes", integer(0))
                .has("running_boxes", integer(0))
                .has("cpus", integer(0))
                .has("memory_bytes", integer(0))
                .has("disk_bytes", integer(0))
                .has("snapshots", integer(0));
    }

    private static void begun(Schema.Shape shape) {
        shape.has("handle", text())
                .has("user_code", text())
                .has("address", text())
                .has("complete_address", text())
                .has("expires_in_s", integer(0))
                .has("interval_s", integer(0));
    }
}
