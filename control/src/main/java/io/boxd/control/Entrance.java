package io.boxd.control;

import io.boxd.accounts.AccountCommand;
import io.boxd.accounts.AccountIds;
import io.boxd.accounts.AccountNames;
import io.boxd.accounts.AccountRecord;
import io.boxd.accounts.AccountRows;
import io.boxd.accounts.IdentityRow;
import io.boxd.accounts.KeyRow;
import io.boxd.accounts.Newcomer;
import io.boxd.accounts.Principal;
import io.boxd.accounts.Scopes;
import io.boxd.accounts.Secrets;
import io.boxd.accounts.SshKey;
import io.boxd.accounts.TokenRow;
import io.boxd.accounts.UserRow;
import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.common.Json;
import io.boxd.login.Admission;
import io.boxd.login.Logins;
import io.boxd.login.Person;
import io.boxd.login.Progress;
import io.boxd.worker.Boxes;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import tools.jackson.databind.node.ObjectNode;

/** For those whom nobody knows yet: they log in elsewhere, or follow an invitation, and get a token. */
public final class Entrance {
    private static final Duration ISSUER = Duration.ofSeconds(20);
    private static final Duration TOKENS_HOLD = Duration.ofDays(90);
    private static final String NOTE = "boxd login";

    private final AccountRecord accounts;
    private final Boxes boxes;
    private final Optional<Logins> logins;
    private final Admission admission;
    private final InstantSource clock;

    /** Logins that somebody who is known here has begun, to be known by what they log in as, too. */
    private final ConcurrentMap<String, String> linking = new ConcurrentHashMap<>();

    /**
     * An entrance.
     *
     * @param logins where people log in elsewhere, if they can
     * @param admission who comes in by that without an invitation
     */
    public Entrance(
            AccountRecord accounts, Boxes boxes, Optional<Logins> logins, Admission admission, InstantSource clock) {
        this.accounts = accounts;
        this.boxes = boxes;
        this.logins = logins;
        this.admission = admission;
        this.clock = clock;
    }

    /** In which ways somebody can come in. */
    public ObjectNode ways() {
        return Json.object().put("elsewhere", logins.isPresent()).put("invitation", true);
    }

    private Logins logins() {
        return logins.orElseThrow(() -> new BoxdException(
                ErrorCode.NOT_FOUND,
                "nobody logs in to this server elsewhere",
                "Use a token (boxd login URL --token-stdin) or an invitation (--invitation CODE).",
                null));
    }

    /**
     * Begins a login elsewhere.
     *
     * @param known who begins it, to be known by it from now on, too
     */
    public ObjectNode begin(Optional<Principal> known) {
        Logins.Begun begun = logins().begin(Deadline.in(ISSUER));
        known.ifPresent(who -> linking.put(begun.handle(), who.user()));
        return Json.object()
                .put("handle", begun.handle())
                .put("user_code", begun.userCode())
                .put("address", begun.address())
                .put("complete_address", begun.completeAddress())
                .put("expires_in_s", begun.expiresIn().toSeconds())
                .put("interval_s", begun.interval().toSeconds());
    }

    /** How far a login is; when it is done, the token. */
    public ObjectNode ask(String handle) {
        Progress progress;
        try {
            progress = logins().ask(handle, Deadline.in(ISSUER));
        } catch (BoxdException e) {
            if (e.code() == ErrorCode.NOT_FOUND) {
                linking.remove(handle);
            }
            throw e;
        }
        return switch (progress) {
            case Progress.Pending _ -> Json.object().put("done", false);
            case Progress.Failed(String reason) -> {
                linking.remove(handle);
                throw new BoxdException(ErrorCode.PERMISSION_DENIED, "the login failed: " + Printable.line(reason));
            }
            case Progress.Done(Person person) -> welcome(person, Optional.ofNullable(linking.remove(handle)));
        };
    }

    private ObjectNode welcome(Person person, Optional<String> known) {
        AccountRows rows = accounts.rows();
        Instant now = now();
        Optional<String> user = rows.identity(person.issuer(), person.subject()).map(IdentityRow::user);
        if (user.isPresent()) {
            return token(user.get(), now);
        }
        if (known.isPresent()) {
            accounts.apply(new AccountCommand.Link(identity(person, known.get(), now)));
            return token(known.get(), now);
        }
        if (!admission.admits(person)) {
            throw new BoxdException(
                    ErrorCode.PERMISSION_DENIED,
                    "you are logged in as " + Printable.line(shown(person)) + ", who is nobody here",
                    "Ask an administrator for an invitation (boxd invite), or to admit you (login_admit).",
                    null);
        }
        String id = AccountIds.user();
        String name = AccountNames.free(person.name().orElse(shown(person)), this::isTaken);
        UserRow row = new UserRow(id, name, false, now, Optional.empty());
        String secret = AccountIds.tokenSecret();
        accounts.apply(new AccountCommand.Admit(new Newcomer(
                row, List.of(), Optional.of(row(id, secret, now)), Optional.of(identity(person, id, now)))));
        return done(name, secret);
    }

    private static String shown(Person person) {
        return person.email().or(person::name).orElse(person.subject());
    }

    private static IdentityRow identity(Person person, String user, Instant now) {
        return new IdentityRow(person.issuer(), person.subject(), user, shown(person), now);
    }

    private boolean isTaken(String name) {
        return accounts.rows().isNameTaken(name)
                || boxes.list().stream().anyMatch(box -> box.name().equals(name));
    }

    private Instant now() {
        return clock.instant().truncatedTo(ChronoUnit.MILLIS);
    }

    /** Somebody follows an invitation and becomes a user. */
    public ObjectNode enter(String invitation, String name, Optional<String> key) {
        String secret = invitation.strip();
        if (Secrets.isMistyped(secret)) {
            throw Failures.invalid("this invitation is mistyped", "Copy all of it.");
        }
        Instant now = now();
        String id = AccountIds.user();
        List<KeyRow> keys =
                key.map(text -> KeyRow.of(SshKey.parse(text), id, now)).stream().toList();
        String token = AccountIds.tokenSecret();
        Newcomer newcomer = new Newcomer(
                new UserRow(id, name, false, now, Optional.empty()),
                keys,
                Optional.of(row(id, token, now)),
                Optional.empty());
        accounts.apply(new AccountCommand.Enter(Secrets.hash(secret), newcomer, now));
        return done(name, token);
    }

    private ObjectNode token(String user, Instant now) {
        String secret = AccountIds.tokenSecret();
        AccountRows rows = accounts.apply(new AccountCommand.AddToken(row(user, secret, now)));
        return done(rows.user(user).orElseThrow().name(), secret);
    }

    private static TokenRow row(String user, String secret, Instant now) {
        return new TokenRow(
                AccountIds.token(),
                user,
                Secrets.hash(secret),
                NOTE,
                Scopes.all(),
                Optional.empty(),
                now,
                Optional.of(now.plus(TOKENS_HOLD)));
    }

    private static ObjectNode done(String user, String secret) {
        return Json.object().put("done", true).put("user", user).put("token", secret);
    }
}
