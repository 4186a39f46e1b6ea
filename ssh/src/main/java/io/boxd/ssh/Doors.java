package io.boxd.ssh;

import io.boxd.accounts.Principal;
import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.common.Json;
import io.boxd.control.BoxConnection;
import io.boxd.control.Caller;
import io.boxd.control.Control;
import io.boxd.control.Credential;
import io.boxd.control.DialOrder;
import io.boxd.verbs.Nearest;
import io.boxd.verbs.Verb;
import io.boxd.verbs.Verbs;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Which door a client stands at: the name that it said decides, once it is clear who it is.
 *
 * <p>What leads to no door does nothing: a box whose name was mistyped must not become a verb.
 */
final class Doors implements DoorChannel.Door {
    /** Of the control door, whoever comes. */
    static final String CONTROL = "boxd";

    private static final String DOOR = "ssh";
    private static final Verb EXEC = Verbs.named("exec").orElseThrow();
    private static final Ending NO_SESSION = new Ending.Status(255);

    private final Control control;

    Doors(Control control) {
        this.control = control;
    }

    static Caller stranger(String address) {
        return Caller.stranger(DOOR, address, Optional.empty());
    }

    @Override
    public Ending talk(Visitor visitor, Conversation conversation) {
        Supplier<Caller> caller = () -> identify(visitor);
        try {
            Optional<Caller> known = known(visitor);
            if (known.isEmpty()) {
                return new Threshold(control, visitor, caller).talk(conversation);
            }
            if (isControl(visitor.user(), known.get())) {
                return new ControlDoor(control, caller).talk(conversation);
            }
            requireBox(known.get(), visitor.user());
            return new BoxDoor(control, visitor.user()).talk(known.get(), conversation);
        } catch (BoxdException e) {
            Refusal.tell(conversation, e);
            return NO_SESSION;
        }
    }

    /** From inside the box at whose door the client stands. At the control door there is nothing to connect to. */
    BoxConnection dial(Visitor visitor, DialOrder.Target target) {
        Caller caller = identify(visitor);
        if (isControl(visitor.user(), caller)) {
            throw new BoxdException(
                    ErrorCode.PERMISSION_DENIED,
                    "connections are made from inside a box: use its name as the user",
                    null,
                    null);
        }
        return control.dial(caller, new DialOrder(visitor.user(), target, SshLimits.DIALLING, Optional.empty()));
    }

    private static boolean isControl(String user, Caller caller) {
        return user.equals(CONTROL)
                || caller.who().map(Principal::name).filter(user::equals).isPresent();
    }

    private Caller identify(Visitor visitor) {
        return control.identify(
                stranger(visitor.address()), new Credential.Key(visitor.key().fingerprint()));
    }

    private Optional<Caller> known(Visitor visitor) {
        try {
            return Optional.of(identify(visitor));
        } catch (BoxdException e) {
            if (e.code() == ErrorCode.UNAUTHENTICATED) {
                return Optional.empty();
            }
            throw e;
        }
    }

    /** One that may not be seen is as one that is not there, in words and in time. */
    private void requireBox(Caller caller, String box) {
        try {
            control.requireBox(caller, EXEC, box);
        } catch (BoxdException e) {
            if (e.code() != ErrorCode.NOT_FOUND) {
                throw e;
            }
            throw new BoxdException(ErrorCode.NOT_FOUND, String.valueOf(e.getMessage()), hint(caller, box), e);
        }
    }

    private String hint(Caller caller, String box) {
        List<String> names = new ArrayList<>();
        control.call(caller, "list", Json.object().put("all", true))
                .forEach(each -> names.add(each.path("name").asString("")));
        String near = Nearest.to(box, names)
                .map(name -> "Did you mean " + name + "? ")
                .orElse("");
        return near + "The user name is a box's name, or " + CONTROL + " for everything else: ssh " + CONTROL
                + "@HOST list.";
    }
}
