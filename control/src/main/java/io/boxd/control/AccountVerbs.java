package io.boxd.control;

import io.boxd.accounts.AccountCommand;
import io.boxd.accounts.AccountIds;
import io.boxd.accounts.AccountRecord;
import io.boxd.accounts.AccountRows;
import io.boxd.accounts.KeyRow;
import io.boxd.accounts.OrganisationRow;
import io.boxd.accounts.Principal;
import io.boxd.accounts.Scopes;
import io.boxd.accounts.Secrets;
import io.boxd.accounts.SshKey;
import io.boxd.accounts.TokenRow;
import io.boxd.common.Json;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Who somebody is here: whoami, keys, tokens. */
final class AccountVerbs {
    private static final int LONGEST_NOTE = 200;

    private final AccountRecord accounts;
    private final InstantSource clock;
    private final Creations creations;

    AccountVerbs(AccountRecord accounts, InstantSource clock, Creations creations) {
        this.accounts = accounts;
        this.creations = creations;
        this.clock = clock;
    }

    Map<String, Handler> handlers() {
        return Map.of(
                "whoami", Handler.about((who, _) -> self(who)),
                "key add",
                        creations.once(
                                asked -> key(asked, now()).fingerprint(),
                                (asked, _) -> addKey(asked),
                                (asked, fingerprint) -> keyOf(asked.who(), fingerprint)),
                "key list", Handler.about((who, _) -> keys(who)),
                "key rm", Handler.about(this::removeKey),
                "token create",
                        creations.once(
                                _ -> AccountIds.token(),
                                (asked, id) -> createToken(asked.who(), asked.said(), id),
                                (_, id) -> accounts.rows()
                                        .token(id)
                                        .map(row -> token(row).putNull("token"))),
                "token list", Handler.about((who, _) -> tokens(who)),
                "token revoke", Handler.about(this::revokeToken));
    }

    /** To the millisecond, as everything that is shown. */
    private Instant now() {
        return clock.instant().truncatedTo(ChronoUnit.MILLIS);
    }

    private JsonNode self(Principal who) {
        AccountRows rows = accounts.rows();
        ObjectNode answer = Json.object();
        answer.put("id", who.user());
        answer.put("name", who.name());
        answer.put("administrator", who.administrator());
        ArrayNode organisations = answer.putArray("organisations");
        for (OrganisationRow one : rows.organisationsOf(who.user())) {
            organisations.add(OrganisationVerbs.mention(one, who.user()));
        }
        Optional<TokenRow> token = who.token().flatMap(rows::token);
        answer.put("token", who.token().orElse(null));
        answer.set("scopes", scopes(who.scopes()));
        answer.put("expires_at", Answers.time(token.flatMap(TokenRow::expiresAt)));
        return answer;
    }

    private static KeyRow key(Asked asked, Instant now) {
        return KeyRow.of(SshKey.parse(asked.said().required("key")), asked.who().user(), now);
    }

    private JsonNode addKey(Asked asked) {
        KeyRow row = key(asked, now());
        accounts.apply(new AccountCommand.AddKey(row));
        return key(row);
    }

    private Optional<JsonNode> keyOf(Principal who, String fingerprint) {
        return accounts.rows()
                .key(fingerprint)
                .filter(row -> row.user().equals(who.user()))
                .map(AccountVerbs::key);
    }

    private JsonNode keys(Principal who) {
        ArrayNode list = Json.array();
        accounts.rows().keysOf(who.user()).forEach(row -> list.add(key(row)));
        return list;
    }

    private static ObjectNode key(KeyRow row) {
        return Json.object()
                .put("fingerprint", row.fingerprint())
                .put("type", row.type())
                .put("comment", row.comment())
                .put("added_at", Answers.time(row.addedAt()));
    }

    private JsonNode removeKey(Principal who, Parameters said) {
        String fingerprint = said.required("fingerprint");
        accounts.apply(new AccountCommand.RemoveKey(who.user(), fingerprint));
        return deleted(fingerprint);
    }

    static ObjectNode deleted(String what) {
        ObjectNode answer = Json.object();
        answer.putArray("deleted").add(what);
        return answer;
    }

    private JsonNode createToken(Principal who, Parameters said, String id) {
        List<String> verbs = said.text("verbs").stream()
                .flatMap(text -> Stream.of(text.split(",", -1)))
                .map(String::strip)
                .filter(verb -> !verb.isEmpty())
                .toList();
        Scopes scopes = Scopes.said(verbs, Labels.labels(said.texts("labels")), said.flag("read_only"));
        String note = said.text("note").orElse("");
        if (note.length() > LONGEST_NOTE || note.codePoints().anyMatch(Character::isISOControl)) {
            throw Failures.invalid("a note has at most " + LONGEST_NOTE + " printable characters");
        }
        String secret = AccountIds.tokenSecret();
        Instant now = now();
        TokenRow row = new TokenRow(
                id,
                who.user(),
                Secrets.hash(secret),
                note,
                scopes,
                who.token(),
                now,
                said.seconds("ttl_s").map(now::plus));
        accounts.apply(new AccountCommand.AddToken(row));
        return token(row).put("token", secret);
    }

    private JsonNode tokens(Principal who) {
        ArrayNode list = Json.array();
        Instant now = now();
        accounts.rows().tokensOf(who.user()).stream()
                .filter(row -> row.holds(now))
                .forEach(row -> list.add(token(row)));
        return list;
    }

    private static ObjectNode token(TokenRow row) {
        ObjectNode answer = Json.object();
        answer.put("id", row.id());
        answer.put("note", row.note());
        answer.set("scopes", scopes(row.scopes()));
        answer.put("created_at", Answers.time(row.createdAt()));
        answer.put("expires_at", Answers.time(row.expiresAt()));
        return answer;
    }

    /** Without verbs it is for all of them. */
    private static ObjectNode scopes(Scopes scopes) {
        ObjectNode answer = Json.object();
        if (scopes.verbs().isEmpty()) {
            answer.putNull("verbs");
        } else {
            ArrayNode verbs = answer.putArray("verbs");
            scopes.verbs().get().forEach(verbs::add);
        }
        ObjectNode labels = answer.putObject("labels");
        scopes.labels().forEach(labels::put);
        answer.put("read_only", scopes.readOnly());
        return answer;
    }

    private JsonNode revokeToken(Principal who, Parameters said) {
        String token = said.required("token");
        accounts.apply(new AccountCommand.RevokeToken(who.user(), who.token(), token));
        return deleted(token);
    }
}
