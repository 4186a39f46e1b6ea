package io.boxd.ssh;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.PlainJson;
import io.boxd.console.Console;
import io.boxd.control.Caller;
import io.boxd.control.Control;
import io.boxd.control.Following;
import io.boxd.verbs.Answers;
import io.boxd.verbs.Fields;
import io.boxd.verbs.Request;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/** {@code events -f} and {@code audit -f}: tells what comes until somebody ends it. */
final class FollowDeed {
    private static final Duration LOOK = Duration.ofMinutes(1);
    private static final int LEFT = 130;

    private final Control control;
    private final Caller caller;
    private final Seat seat;
    private final Console console;
    private final Stop stop;

    FollowDeed(Control control, Caller caller, Seat seat, Console console, Stop stop) {
        this.control = control;
        this.caller = caller;
        this.seat = seat;
        this.console = console;
        this.stop = stop;
    }

    int follow(Request request) throws IOException {
        AtomicBoolean left = new AtomicBoolean();
        try (Following following = control.follow(caller, request.verb().name(), Shown.said(request))) {
            Runnable leave = () -> leave(left, following);
            stop.on(leave);
            if (seat.terminal().isEmpty()) {
                seat.conversation().listen(new WhenLeft(leave));
            }
            while (!left.get()) {
                Optional<Following.Told> told = following.next(Deadline.in(LOOK));
                if (told.isPresent()) {
                    Fields fields = Shown.fields(told.get().json());
                    console.print(
                            request.json()
                                    ? PlainJson.write(fields.values()) + "\n"
                                    : Answers.line(request.verb(), fields, console.look()));
                }
            }
        } catch (BoxdException e) {
            if (!left.get()) {
                throw e;
            }
        }
        return LEFT;
    }

    private static void leave(AtomicBoolean left, Following following) {
        left.set(true);
        following.close();
    }
}
