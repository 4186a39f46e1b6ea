package io.boxd.control;

import io.boxd.accounts.Deed;
import io.boxd.accounts.Principal;
import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.guest.AgentConnection;
import io.boxd.guest.GuestConnection;
import io.boxd.guest.GuestListener;
import io.boxd.guest.GuestNetwork;
import io.boxd.guest.GuestProgram;
import io.boxd.verbs.Verb;
import io.boxd.verbs.Verbs;
import io.boxd.worker.Box;
import io.boxd.worker.Boxes;
import java.util.Optional;
import java.util.function.Function;
import tools.jackson.databind.node.ObjectNode;

/**
 * What only passes through a box: programs, connections out of it, places at which it is to be reached. Whoever may run
 * commands in a box may have them, and they end when that is no longer so.
 */
final class Lines {
    private static final Verb EXEC = Verbs.named("exec").orElseThrow();

    private final Boxes boxes;
    private final Guard guard;
    private final OpenStreams streams;
    private final Trail trail;
    private final RunOrders orders;
    private final Settings settings;

    Lines(Boxes boxes, Guard guard, OpenStreams streams, Trail trail, Settings settings) {
        this.boxes = boxes;
        this.guard = guard;
        this.streams = streams;
        this.trail = trail;
        this.orders = new RunOrders(settings);
        this.settings = settings;
    }

    /** Runs a program; returns when it runs. One that serves files lets its box rest, all others keep it awake. */
    BoxProgram program(Caller caller, ObjectNode said) {
        return trail.of(caller, EXEC, said, () -> pass(caller, said), _ -> Trail.Traces.none());
    }

    private BoxProgram pass(Caller caller, ObjectNode said) {
        Principal who = caller.principal();
        Asked asked =
                new Asked(who, guard.boxes(who, Deed.of(EXEC)), Parameters.of(EXEC, said, DoorFields.ofProgram(EXEC)));
        RunOrder order = orders.passing(asked.box(), asked.said());
        Attention attention = attention(asked.box(), "command", !order.interactive());
        GuestProgram program = begin(attention, agent -> agent.program(order.request(), Deadline.in(Limits.QUESTION)));
        return noted(new LocalProgram(program, attention), caller, asked.box());
    }

    BoxConnection dial(Caller caller, DialOrder order) {
        return open(caller, "dial", order.box(), box -> {
            Attention attention = attention(box, "a forwarded connection", false);
            GuestConnection connection = begin(attention, agent -> dialled(agent, order));
            return noted(new LocalConnection(connection, attention), caller, box);
        });
    }

    private GuestConnection dialled(AgentConnection agent, DialOrder order) {
        GuestNetwork network = network(agent, order.user());
        Deadline deadline = Deadline.in(order.limit());
        return switch (order.target()) {
            case DialOrder.Target.Port(String host, int port) -> network.connect(host, port, deadline);
            case DialOrder.Target.Socket(String path) -> network.connect(LocalFiles.resolve(settings, path), deadline);
        };
    }

    BoxListener listen(Caller caller, ListenOrder order) {
        return open(caller, "listen", order.box(), box -> {
            Function<GuestConnection, BoxConnection> arrival = connection -> noted(
                    new LocalConnection(connection, attention(box, "a forwarded connection", false)), caller, box);
            Attention attention = attention(box, "a forwarded port", false);
            LocalListener.Place place = (agent, former) -> opened(agent, order, former);
            LocalListener listener =
                    begin(attention, agent -> new LocalListener(boxes, box.id(), attention, place, arrival, agent));
            return noted(listener, caller, box);
        });
    }

    private GuestListener opened(AgentConnection agent, ListenOrder order, Optional<LocalListener.Found> former) {
        GuestNetwork network = network(agent, order.user());
        Deadline deadline = Deadline.in(Limits.QUESTION);
        return switch (order.place()) {
            case ListenOrder.Place.Port(String address, int port) ->
                network.listen(address, former.map(LocalListener.Found::port).orElse(port), deadline);
            case ListenOrder.Place.Socket(String path) -> network.listen(LocalFiles.resolve(settings, path), deadline);
            case ListenOrder.Place.Secret() ->
                network.listenSecretly(former.map(LocalListener.Found::path).orElse(""), deadline);
        };
    }

    private GuestNetwork network(AgentConnection agent, Optional<String> user) {
        return agent.network(user.orElse(settings.user()));
    }

    private Attention attention(Box box, String reason, boolean lasting) {
        return new Attention(boxes, box.id(), reason, lasting, Limits.QUIET);
    }

    private <T> T open(Caller caller, String what, String box, Function<Box, T> opening) {
        return trail.ofLine(
                caller,
                what,
                box,
                () -> opening.apply(
                        guard.boxes(caller.principal(), Deed.of(EXEC)).find(box)));
    }

    private <T extends AutoCloseable> T noted(T stream, Caller who, Box box) {
        return streams.note(stream, who, Deed.of(EXEC), Optional.of(box.id()));
    }

    private static <T> T begin(Attention attention, Function<AgentConnection, T> beginning) {
        try {
            return beginning.apply(attention.take(Deadline.in(Limits.WAKE)).agent());
        } catch (RuntimeException e) {
            attention.close();
            throw e;
        }
    }

    /** Whether a box runs; throws if it will not by itself, and what went on in it has ended. */
    static boolean runs(Boxes boxes, String box, String what) {
        Box now = boxes.find(box);
        return switch (now.status()) {
            case RUNNING -> true;
            case STARTING, STANDBY, HIBERNATED -> false;
            case STOPPED, FAILED, DESTROYED ->
                throw new BoxdException(
                        ErrorCode.WRONG_STATE,
                        "the box is " + now.status().wireName() + ", and " + what + " with it",
                        now.reason().isEmpty() ? null : now.reason(),
                        null);
        };
    }
}
