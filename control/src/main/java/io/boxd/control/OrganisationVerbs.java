package io.boxd.control;

import io.boxd.accounts.AccountCommand;
import io.boxd.accounts.AccountIds;
import io.boxd.accounts.AccountRecord;
import io.boxd.accounts.AccountRows;
import io.boxd.accounts.InvitationRow;
import io.boxd.accounts.OrganisationRow;
import io.boxd.accounts.Pool;
import io.boxd.accounts.Principal;
import io.boxd.accounts.Role;
import io.boxd.accounts.Secrets;
import io.boxd.accounts.UserRow;
import io.boxd.common.BoxdException;
import io.boxd.common.Json;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Users together: organisations, their members and pools, and invitations. */
final class OrganisationVerbs {
    private static final Duration INVITATIONS_HOLD = Duration.ofDays(7);

    private final AccountRecord accounts;
    private final InstantSource clock;
    private final Creations creations;

    OrganisationVerbs(AccountRecord accounts, InstantSource clock, Creations creations) {
        this.creations = creations;
        this.accounts = accounts;
        this.clock = clock;
    }

    Map<String, Handler> handlers() {
        return Map.of(
                "invite",
                        creations.once(
                                _ -> AccountIds.invitation(),
                                (asked, id) -> invite(asked.who(), asked.said(), id),
                                (_, id) -> accounts.rows().invitation(id).map(this::invitation)),
                "join", Handler.about(this::join),
                "org create",
                        creations.once(
                                _ -> AccountIds.organisation(),
                                (asked, id) -> create(asked.who(), asked.said(), id),
                                (asked, id) -> accounts.rows().organisation(id).map(row -> shown(row, asked.who()))),
                "org list", Handler.about((who, _) -> list(who)),
                "org members", Handler.about((who, said) -> members(known(who, said))),
                "org add", Handler.about(this::add),
                "org remove", Handler.about(this::remove),
                "org pool", Handler.about(this::pool));
    }

    private Instant now() {
        return clock.instant().truncatedTo(ChronoUnit.MILLIS);
    }

    /** One that they are in; of others they do not know. */
    private OrganisationRow known(Principal who, Parameters said) {
        return known(who, said.required("org"));
    }

    private OrganisationRow known(Principal who, String name) {
        return accounts.rows()
                .organisationNamed(name)
                .filter(one -> who.administrator() || one.has(who.user()))
                .orElseThrow(() -> Failures.notFound(
                        "there is no organisation " + Printable.line(name), "See them all: boxd org list."));
    }

    private UserRow user(String name) {
        return accounts.rows()
                .userNamed(name)
                .orElseThrow(() -> Failures.notFound(
                        "there is no user " + Printable.line(name), "Invite them: boxd invite --org ORG."));
    }

    private static Role role(Parameters said) {
        String name = said.text("role").orElse(Role.MEMBER.wireName());
        return Role.named(name)
                .orElseThrow(() -> Failures.invalid(
                        "there is no role '" + Printable.line(name) + "'", "Roles are owner and member."));
    }

    private JsonNode create(Principal who, Parameters said, String id) {
        OrganisationRow row = new OrganisationRow(
                id, Names.account(said.required("name")), Map.of(who.user(), Role.OWNER), Optional.empty(), now());
        accounts.apply(new AccountCommand.AddOrganisation(row));
        return shown(row, who);
    }

    private JsonNode list(Principal who) {
        AccountRows rows = accounts.rows();
        ArrayNode list = Json.array();
        rows.organisations().stream()
                .filter(one -> who.administrator() || one.has(who.user()))
                .forEach(one -> list.add(shown(one, who)));
        return list;
    }

    /** An organisation where only which one it is matters. */
    static ObjectNode mention(OrganisationRow row, String user) {
        return Json.object().put("id", row.id()).put("name", row.name()).put("role", roleOf(row, user));
    }

    private static @Nullable String roleOf(OrganisationRow row, String user) {
        Role role = row.members().get(user);
        return role == null ? null : role.wireName();
    }

    private static ObjectNode shown(OrganisationRow row, Principal who) {
        ObjectNode answer = mention(row, who.user());
        answer.put("members", row.members().size());
        answer.set("pool", shown(row.pool()));
        answer.put("created_at", Answers.time(row.createdAt()));
        return answer;
    }

    private JsonNode members(OrganisationRow row) {
        AccountRows rows = accounts.rows();
        ArrayNode list = Json.array();
        row.members()
                .forEach((id, role) -> rows.user(id).ifPresent(user -> {
                    ObjectNode member = list.addObject();
                    member.put("user", user.name());
                    member.put("role", role.wireName());
                    member.set("limit", shown(Optional.ofNullable(row.limits().get(id))));
                }));
        return list;
    }

    private static JsonNode shown(Optional<Pool> pool) {
        return pool.<JsonNode>map(some -> Json.object()
                        .put("boxes", some.boxes())
                        .put("cpus", some.cpus())
                        .put("memory_bytes", some.memoryBytes()))
                .orElseGet(Json::nothing);
    }

    private JsonNode add(Principal who, Parameters said) {
        String organisation = known(who, said).id();
        accounts.apply(new AccountCommand.PutMember(
                who.user(), organisation, user(said.required("user")).id(), role(said)));
        return members(accounts.rows().organisation(organisation).orElseThrow());
    }

    private JsonNode remove(Principal who, Parameters said) {
        String organisation = known(who, said).id();
        accounts.apply(new AccountCommand.RemoveMember(
                who.user(), organisation, user(said.required("user")).id()));
        return members(accounts.rows().organisation(organisation).orElseThrow());
    }

    private JsonNode pool(Principal who, Parameters said) {
        String organisation = known(who, said).id();
        Optional<Pool> pool = said.flag("none")
                ? Optional.empty()
                : Optional.of(new Pool(
                        said.count("boxes", Integer.MAX_VALUE).orElseThrow(() -> needed("boxes")),
                        said.count("cpus", Integer.MAX_VALUE).orElseThrow(() -> needed("cpus")),
                        said.number("memory_bytes").orElseThrow(() -> needed("memory_bytes"))));
        accounts.apply(
                said.has("member")
                        ? new AccountCommand.LimitMember(
                                who.user(),
                                organisation,
                                user(said.required("member")).id(),
                                pool)
                        : new AccountCommand.SetPool(who.user(), organisation, pool));
        return shown(accounts.rows().organisation(organisation).orElseThrow(), who);
    }

    private static BoxdException needed(String field) {
        return Failures.invalid("a pool needs '" + field + "'", "Say boxes, cpus and memory; or none.");
    }

    private JsonNode invite(Principal who, Parameters said, String id) {
        String secret = AccountIds.invitationSecret();
        Instant now = now();
        Optional<String> organisation =
                said.text("org").map(name -> known(who, name).id());
        InvitationRow row = new InvitationRow(
                id,
                Secrets.hash(secret),
                organisation,
                role(said),
                who.user(),
                now,
                now.plus(said.seconds("ttl_s").orElse(INVITATIONS_HOLD)));
        accounts.apply(new AccountCommand.Invite(row));
        return invitation(row).put("invitation", secret);
    }

    private ObjectNode invitation(InvitationRow row) {
        return Json.object()
                .put("id", row.id())
                .putNull("invitation")
                .put(
                        "org",
                        row.organisation()
                                .flatMap(accounts.rows()::organisation)
                                .map(OrganisationRow::name)
                                .orElse(null))
                .put("role", row.role().wireName())
                .put("expires_at", Answers.time(row.expiresAt()));
    }

    private JsonNode join(Principal who, Parameters said) {
        String secret = said.required("invitation").strip();
        if (Secrets.isMistyped(secret)) {
            throw Failures.invalid("this invitation is mistyped", "Copy all of it.");
        }
        Set<String> before = accounts.rows().organisationsOf(who.user()).stream()
                .map(OrganisationRow::id)
                .collect(Collectors.toSet());
        AccountRows after = accounts.apply(new AccountCommand.Join(Secrets.hash(secret), who.user(), now()));
        ArrayNode joined = Json.array();
        after.organisationsOf(who.user()).stream()
                .filter(one -> !before.contains(one.id()))
                .forEach(one -> joined.add(shown(one, who)));
        return joined;
    }
}
