package io.boxd.control;

import io.boxd.common.Json;
import io.boxd.common.SignalNames;
import io.boxd.guest.ExitStatus;
import io.boxd.guest.OutputChannel;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/** What comes next on the stream of an execution. */
public sealed interface Happening {
    /** Something that it has said; at most 64 KiB. */
    record Output(OutputChannel channel, ByteBuffer data) implements Happening {}

    /** Output before this offset is not kept any more; what follows begins there. */
    record Skipped(long to) implements Happening {}

    /**
     * The stream is at its end.
     *
     * @param status nothing if the command runs on
     * @param timedOut whether it was killed because its time was over
     * @param duration how long it ran, if that is known
     */
    record Ended(Optional<ExitStatus> status, boolean timedOut, Optional<Duration> duration) implements Happening {
        private static final int TIMED_OUT = 124;

        /** As shells number it; 124 if its time was over. */
        public Optional<Integer> exitCode() {
            return status.map(how -> timedOut ? TIMED_OUT : how.shellCode());
        }

        /** As every door tells it. */
        public ObjectNode json() {
            ObjectNode answer = Json.object();
            answer.put("exit_code", exitCode().orElse(null));
            answer.put("signal", signal().orElse(null));
            answer.put("timed_out", timedOut);
            answer.put("duration_ms", duration.map(Duration::toMillis).orElse(null));
            return answer;
        }

        /** The name of the signal that ended it. */
        public Optional<String> signal() {
            return status.flatMap(how -> switch (how) {
                case ExitStatus.Exited(int _) -> Optional.<String>empty();
                case ExitStatus.Killed(int number, boolean _) -> Optional.of(SignalNames.name(number));
            });
        }
    }

    /** The deadline has passed and nothing has come. */
    record Nothing() implements Happening {}
}
