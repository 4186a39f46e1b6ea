package io.boxd.cli;

import io.boxd.common.BoxdException;
import io.boxd.verbs.Fields;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** What a server says on a stream. */
sealed interface StreamMessage {
    int STDOUT = 1;
    int STDERR = 2;

    /** Bytes that the command wrote. */
    record Output(int channel, ByteBuffer bytes) implements StreamMessage {}

    /**
     * The command runs, and output follows.
     *
     * @param inputOffset how many bytes of input it has been given so far, if the server tells
     */
    record Started(
            @Nullable String execution,
            long offset,
            boolean terminal,
            @Nullable String snapshot,
            @Nullable Long inputOffset)
            implements StreamMessage {}

    /** So much more may be sent. */
    record Credit(long bytes) implements StreamMessage {}

    /** What was before this offset is not kept any more. */
    record Skipped(long to) implements StreamMessage {}

    /** The command ended, or the log did. */
    record Ended(Fields end) implements StreamMessage {}

    /** The stream cannot go on. */
    record Failed(BoxdException error) implements StreamMessage {}
}
