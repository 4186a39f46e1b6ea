package io.boxd.control;

import io.boxd.accounts.AccountCommand;
import io.boxd.accounts.AccountIds;
import io.boxd.accounts.AccountRecord;
import io.boxd.accounts.AccountRows;
import io.boxd.accounts.InvitationRow;
import io.boxd.accounts.KeyRow;
import io.boxd.accounts.OrganisationRow;
import io.boxd.accounts.Principal;
import io.boxd.accounts.SshKey;
import io.boxd.accounts.UserRow;
import io.boxd.common.Json;
import io.boxd.worker.Boxes;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Who may use this server: users, and invitations that nobody has followed yet. */
final class UserVerbs {
    private final AccountRecord accounts;
    private final Boxes boxes;
    private final InstantSource clock;
    private final Creations creations;

    UserVerbs(AccountRecord accounts, Boxes boxes, InstantSource clock, Creations creations) {
        this.creations = creations;
        this.accounts = accounts;
        this.boxes = boxes;
        this.clock = clock;
    }

    Map<String, Handler> handlers() {
        return Map.of(
                "user list", Handler.about((_, _) -> list()),
                "user add",
                        creations.once(
                                _ -> AccountIds.user(),
                                (asked, id) -> add(asked.who(), asked.said(), id),
                                (_, id) -> accounts.rows().user(id).map(this::shown)),
                "user rm", Handler.about(this::remove),
                "user admin", Handler.about(this::administrate),
                "invitation list", Handler.about((who, _) -> invitations(who)),
                "invitation rm", Handler.about(this::withdraw));
    }

    private JsonNode list() {
        ArrayNode list = Json.array();
        accounts.rows().users().forEach(user -> list.add(shown(user)));
        return list;
    }

    private ObjectNode shown(UserRow user) {
        return Json.object()
                .put("id", user.id())
                .put("name", user.name())
                .put("administrator", user.administrator())
                .put("boxes", boxesOf(user))
                .put("created_at", Answers.time(user.createdAt()));
    }

    private int boxesOf(UserRow user) {
        return (int) boxes.list().stream()
                .filter(box -> box.owner().equals(user.id()))
                .count();
    }

    private UserRow named(Parameters said) {
        String name = said.required("user");
        return accounts.rows()
                .userNamed(name)
                .orElseThrow(() ->
                        Failures.notFound("there is no user " + Printable.line(name), "See them all: boxd user list."));
    }

    private JsonNode add(Principal who, Parameters said, String id) {
        Instant now = clock.instant().truncatedTo(ChronoUnit.MILLIS);
        UserRow user = new UserRow(id, Names.account(said.required("name")), false, now, Optional.empty());
        List<KeyRow> keys = said.text("key").map(text -> KeyRow.of(SshKey.parse(text), id, now)).stream()
                .toList();
        accounts.apply(new AccountCommand.AddUser(who.user(), user, keys));
        return shown(user);
    }

    private JsonNode remove(Principal who, Parameters said) {
        UserRow user = named(said);
        accounts.apply(new AccountCommand.RemoveUser(who.user(), user.id(), boxesOf(user)));
        return AccountVerbs.deleted(user.name());
    }

    private JsonNode administrate(Principal who, Parameters said) {
        UserRow user = named(said);
        AccountRows rows =
                accounts.apply(new AccountCommand.SetAdministrator(who.user(), user.id(), !said.flag("off")));
        return shown(rows.user(user.id()).orElseThrow());
    }

    /** Their own; administrators see all. */
    private JsonNode invitations(Principal who) {
        AccountRows rows = accounts.rows();
        Instant now = clock.instant();
        ArrayNode list = Json.array();
        rows.invitations().stream()
                .filter(one -> one.holds(now))
                .filter(one -> who.administrator() || one.by().equals(who.user()))
                .forEach(one -> list.add(shown(rows, one)));
        return list;
    }

    private static ObjectNode shown(AccountRows rows, InvitationRow invitation) {
        return Json.object()
                .put("id", invitation.id())
                .put("by", rows.user(invitation.by()).map(UserRow::name).orElse(null))
                .put(
                        "org",
                        invitation
                                .organisation()
                                .flatMap(rows::organisation)
                                .map(OrganisationRow::name)
                                .orElse(null))
                .put("role", invitation.role().wireName())
                .put("created_at", Answers.time(invitation.createdAt()))
                .put("expires_at", Answers.time(invitation.expiresAt()));
    }

    private JsonNode withdraw(Principal who, Parameters said) {
        String invitation = said.required("invitation");
        accounts.apply(new AccountCommand.Withdraw(who.user(), invitation));
        return AccountVerbs.deleted(invitation);
    }
}
