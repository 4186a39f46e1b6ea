package io.boxd.accounts;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.common.Json;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Commands as text: a line of JSON that says which, and one with what comes with it.
 *
 * <p>The names are in logs that later versions read: they do not follow when a class is renamed.
 */
public final class AccountCommands {
    private record Head(String command) {}

    private record Kind(String name, Class<? extends AccountCommand> type) {}

    private static final List<Kind> KINDS = List.of(
            new Kind("begin", AccountCommand.Begin.class),
            new Kind("replace_token", AccountCommand.ReplaceToken.class),
            new Kind("add_user", AccountCommand.AddUser.class),
            new Kind("remove_user", AccountCommand.RemoveUser.class),
            new Kind("set_administrator", AccountCommand.SetAdministrator.class),
            new Kind("set_quota", AccountCommand.SetQuota.class),
            new Kind("add_key", AccountCommand.AddKey.class),
            new Kind("remove_key", AccountCommand.RemoveKey.class),
            new Kind("add_token", AccountCommand.AddToken.class),
            new Kind("revoke_token", AccountCommand.RevokeToken.class),
            new Kind("add_organisation", AccountCommand.AddOrganisation.class),
            new Kind("put_member", AccountCommand.PutMember.class),
            new Kind("remove_member", AccountCommand.RemoveMember.class),
            new Kind("set_pool", AccountCommand.SetPool.class),
            new Kind("limit_member", AccountCommand.LimitMember.class),
            new Kind("invite", AccountCommand.Invite.class),
            new Kind("withdraw", AccountCommand.Withdraw.class),
            new Kind("join", AccountCommand.Join.class),
            new Kind("enter", AccountCommand.Enter.class),
            new Kind("admit", AccountCommand.Admit.class),
            new Kind("link", AccountCommand.Link.class),
            new Kind("sweep", AccountCommand.Sweep.class));

    private static final Map<String, Kind> BY_NAME =
            KINDS.stream().collect(Collectors.toUnmodifiableMap(Kind::name, Function.identity()));
    private static final Map<Class<?>, Kind> BY_TYPE =
            KINDS.stream().collect(Collectors.toUnmodifiableMap(Kind::type, Function.identity()));

    /** In commands of earlier versions, which were given what the log knows; quotes within values are escaped. */
    private static final Pattern NAMES_OF_BOXES = Pattern.compile(",\"box_names\":\\[[^]]*]");

    private AccountCommands() {}

    /** Those that can be written. */
    static List<Class<?>> types() {
        return KINDS.stream().<Class<?>>map(Kind::type).toList();
    }

    public static String write(AccountCommand command) {
        Kind kind = BY_TYPE.get(command.getClass());
        if (kind == null) {
            throw new IllegalStateException("no name for " + command.getClass());
        }
        return Json.write(new Head(kind.name())) + "\n" + Json.write(command);
    }

    public static AccountCommand read(String text) {
        int end = text.indexOf('\n');
        Kind kind = end < 0
                ? null
                : BY_NAME.get(Json.read(text.substring(0, end), Head.class).command());
        if (kind == null) {
            throw new BoxdException(ErrorCode.INVALID_ARGUMENT, "not a command about accounts");
        }
        return Json.read(NAMES_OF_BOXES.matcher(text.substring(end + 1)).replaceFirst(""), kind.type());
    }
}
