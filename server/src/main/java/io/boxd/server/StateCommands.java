package io.boxd.server;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.ledger.Ledger;
import io.boxd.ledger.LedgerConfig;
import io.boxd.ledger.StateRestore;
import io.boxd.verbs.Request;
import io.boxd.worker.WorkerConfig;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** Copies the state of an instance to a file, and makes a damaged one usable again. */
final class StateCommands {
    private static final Duration WAITING = Duration.ofMinutes(5);

    private final ServerConfig config;

    StateCommands(ServerConfig config) {
        this.config = config;
    }

    private record BackedUp(String file, long index) {}

    private record PutBack(String from, long index, boolean log, long lost, String aside) {}

    void backup(Request request) {
        requireRoot("backup");
        Path file = Path.of(String.valueOf(request.text("file"))).toAbsolutePath();
        Logs.begin(new InstanceFiles(config.home()).log());
        long index = Ledger.backup(ledger(), Decisions.books(), file, Deadline.in(WAITING));
        if (request.json()) {
            Screen.json(new BackedUp(file.toString(), index));
        } else {
            Screen.say("The state up to decision " + index + " is in " + file + ".");
        }
    }

    void restore(Request request) {
        requireRoot("restore");
        Optional<Path> file = Optional.ofNullable(request.text("file"))
                .map(name -> Path.of(name).toAbsolutePath());
        Logs.begin(new InstanceFiles(config.home()).log());
        StateRestore.Restored back;
        try (FileChannel _ = new InstanceFiles(config.home()).lock()) {
            back = StateRestore.run(ledger(), Decisions.books(), file);
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.INTERNAL, "cannot unlock " + config.home(), e);
        }
        if (request.json()) {
            Screen.json(new PutBack(
                    back.from().toString(),
                    back.index(),
                    back.log(),
                    back.lost(),
                    back.aside().toString()));
            return;
        }
        Screen.say("The state up to decision " + back.index() + " is back, from " + back.from() + ".");
        Screen.say(
                back.log()
                        ? "The log is whole: what was decided after that is applied at the next start. Nothing is lost."
                        : "The log could not be used. "
                                + (back.lost() == 0
                                        ? "No later decision is known."
                                        : back.lost() + " later decisions are known to be lost."));
        Screen.say("The files that were there are in " + back.aside() + ".");
    }

    private LedgerConfig ledger() {
        return WorkerConfig.ledger(config.home());
    }

    private static void requireRoot(String what) {
        if (!HostCheck.isRoot()) {
            throw new BoxdException(
                    ErrorCode.PERMISSION_DENIED,
                    "only root can read and write the state",
                    "sudo boxd state " + what,
                    null);
        }
    }
}
