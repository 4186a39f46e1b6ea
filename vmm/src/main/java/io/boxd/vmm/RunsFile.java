package io.boxd.vmm;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.linux.PageRuns;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;

/** A list of page runs as a file: start and end of each, eight bytes each. */
final class RunsFile {
    private RunsFile() {}

    static void write(Path file, PageRuns runs) throws IOException {
        ByteBuffer content = ByteBuffer.allocate(Math.multiplyExact(2 * Long.BYTES, runs.count()));
        for (int run = 0; run < runs.count(); run++) {
            content.putLong(runs.start(run)).putLong(runs.end(run));
        }
        Files.write(file, content.array());
    }

    static PageRuns read(Path file) {
        try {
            ByteBuffer content = ByteBuffer.wrap(Files.readAllBytes(file));
            PageRuns.Builder runs = new PageRuns.Builder();
            while (content.hasRemaining()) {
                runs.add(content.getLong(), content.getLong());
            }
            return runs.build();
        } catch (IOException | IllegalArgumentException e) {
            throw new BoxdException(ErrorCode.WRONG_STATE, "cannot read " + file, e);
        }
    }
}
