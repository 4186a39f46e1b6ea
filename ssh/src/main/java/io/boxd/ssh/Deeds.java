package io.boxd.ssh;

import io.boxd.common.BoxdException;
import io.boxd.common.Json;
import io.boxd.console.Answering;
import io.boxd.console.Asking;
import io.boxd.console.BrokenOutputException;
import io.boxd.console.Console;
import io.boxd.console.TopScreen;
import io.boxd.control.Caller;
import io.boxd.control.Control;
import io.boxd.verbs.CommandLine;
import io.boxd.verbs.Exits;
import io.boxd.verbs.Help;
import io.boxd.verbs.Request;
import io.boxd.verbs.Said;
import java.io.IOException;
import java.io.InputStream;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does what is said at the control door, one line after the other.
 *
 * <p>Each is done on a thread of its own, which is never interrupted: who presses Ctrl-C, or leaves, is not kept
 * waiting, and what was begun ends as it should.
 */
final class Deeds {
    private static final Logger LOG = LoggerFactory.getLogger(Deeds.class);
    private static final int INTERRUPTED = 130;
    private static final int BROKEN_PIPE = 141;
    /** Whose status is the command's own, so that ours must differ. */
    private static final Set<String> RUNNING_COMMANDS = Set.of("exec", "connect", "attach");

    private final Control control;
    private final Supplier<Caller> caller;
    private final Seat seat;
    private final String program;

    /**
     * Deeds of one client.
     *
     * @param caller who it is, asked anew for each deed
     * @param program as which help shows this door
     */
    Deeds(Control control, Supplier<Caller> caller, Seat seat, String program) {
        this.control = control;
        this.caller = caller;
        this.seat = seat;
        this.program = program;
    }

    /** Gives the status with which this line ended. */
    int perform(String line) {
        GatedOutput output = new GatedOutput(seat.output());
        GatedOutput errors = new GatedOutput(seat.errors());
        Console console = seat.console(InputStream.nullInputStream(), output, errors);
        CompletableFuture<Integer> status = new CompletableFuture<>();
        Stop stop = new Stop(() -> status.complete(INTERRUPTED));
        seat.whenInterrupted(stop::now);
        Thread.ofVirtual().name("ssh-deed").start(() -> status.complete(attempt(line, console, stop)));
        int ended = status.join();
        seat.whenInterrupted(() -> {});
        output.shut();
        errors.shut();
        seat.terminal().ifPresent(ClientTerminal::takeBack);
        return ended;
    }

    private int attempt(String line, Console console, Stop stop) {
        boolean json = line.contains("--json");
        try {
            CommandLine verbs = DoorVerbs.lines(seat::input);
            return switch (LineWords.parse(line, verbs)) {
                case Said.Help help -> help(help, console);
                case Said.Do(Request request) -> perform(request, console, stop);
            };
        } catch (BoxdException e) {
            console.fail(e, json);
            return Exits.of(e.code());
        } catch (IOException e) {
            LOG.debug("nobody reads what is shown", e);
            return BROKEN_PIPE;
        } catch (RuntimeException e) {
            LOG.error("a verb failed at the SSH door", e);
            console.tell("the server made a mistake; its log says more");
            return Exits.FAILED;
        }
    }

    private int help(Said.Help help, Console console) throws BrokenOutputException {
        String family = help.family();
        if (family != null) {
            console.print(Help.family(family, help.verbs(), program));
        } else {
            console.print(
                    help.verbs().isEmpty()
                            ? Help.overview(DoorVerbs.ALL, program)
                            : Help.of(help.verbs().getFirst(), program));
        }
        return Exits.DONE;
    }

    private int perform(Request request, Console console, Stop stop) throws IOException {
        DoorVerbs.check(request);
        try {
            return performOne(request, console, stop);
        } catch (BoxdException e) {
            console.fail(e, request.json());
            return RUNNING_COMMANDS.contains(request.verb().name()) ? Exits.NOT_RUN : Exits.of(e.code());
        }
    }

    private int performOne(Request request, Console console, Stop stop) throws IOException {
        Caller now = caller.get();
        Answering server = asked -> Json.write(control.call(now, asked.verb().name(), Shown.said(asked)));
        return switch (request.verb().name()) {
            case "exec" -> new CommandDeed(control, now, seat, console, stop).exec(request);
            case "connect" -> new CommandDeed(control, now, seat, console, stop).connect(request);
            case "attach" -> new CommandDeed(control, now, seat, console, stop).attach(request);
            case "logs" -> new LogsDeed(control, now, seat, console, stop).show(request);
            case "events", "audit" ->
                request.flag("follow")
                        ? new FollowDeed(control, now, seat, console, stop).follow(request)
                        : new Asking(server, console).perform(request);
            case "cp" -> new CopyDeed(control, now, seat, console).copy(request);
            case "top" -> new TopScreen(server, console, stop).show(request);
            default -> new Asking(server, console).perform(request);
        };
    }
}
