package io.boxd.server;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.control.ServerFacts;
import io.boxd.linux.HostProcess;
import java.time.Duration;
import java.util.Optional;

/** Ends the server in order. */
final class Down {
    private static final Duration ENDING = Duration.ofMinutes(20);

    private final InstanceFiles files;

    Down(ServerConfig config) {
        this.files = new InstanceFiles(config.home());
    }

    /** @param hibernate whether the boxes go to disk first; otherwise they run on */
    void run(boolean hibernate) {
        Optional<ServerFacts> server = files.running();
        if (server.isEmpty()) {
            Screen.say("boxd is not running here.");
            return;
        }
        if (!HostCheck.isRoot()) {
            throw new BoxdException(
                    ErrorCode.PERMISSION_DENIED, "only root can end the server", "sudo boxd down", null);
        }
        if (hibernate) {
            files.wishForHibernation();
        }
        Deadline deadline = Deadline.in(ENDING);
        int pid = Math.toIntExact(server.get().pid());
        Optional<HostProcess> process = HostProcess.of(pid);
        ProcessHandle.of(pid).ifPresent(ProcessHandle::destroy);
        if (process.isPresent() && !process.get().awaitEnd(deadline)) {
            throw deadline.exceeded("the end of the server");
        }
        if (hibernate && files.hibernationIsWished()) {
            files.forgetWish();
            throw new BoxdException(
                    ErrorCode.INTERNAL,
                    "the server has ended, but not all boxes could be hibernated; those run on",
                    "The log is in " + files.log(),
                    null);
        }
        Screen.say(hibernate ? "boxd has ended; its boxes are hibernated." : "boxd has ended; its boxes run on.");
    }
}
