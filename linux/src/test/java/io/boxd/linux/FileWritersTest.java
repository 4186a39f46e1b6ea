package io.boxd.linux;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.Deadline;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("unit")
class FileWritersTest {
    @TempDir
    Path folder;

    @Test
    void seesWhoCanWriteThoughNobodyMayOpen() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "x");
        try (FileChannel writer = FileChannel.open(file, StandardOpenOption.WRITE)) {
            Files.setPosixFilePermissions(file, java.nio.file.attribute.PosixFilePermissions.fromString("r--r--r--"));
            assertThat(writer.isOpen()).isTrue();
            assertThat(FileWriters.awaitNone(file, Deadline.inMillis(5))).isFalse();
        }
        assertThat(FileWriters.awaitNone(file, Deadline.inSeconds(5))).isTrue();
    }

    @Test
    void readersAreNoWriters() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "x");
        try (FileChannel reader = FileChannel.open(file, StandardOpenOption.READ)) {
            assertThat(reader.isOpen()).isTrue();
            assertThat(FileWriters.awaitNone(file, Deadline.inSeconds(5))).isTrue();
        }
    }
}
