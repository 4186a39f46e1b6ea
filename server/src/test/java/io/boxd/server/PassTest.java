package io.boxd.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The file by which doors get to control. */
@Tag("unit")
class PassTest {
    @TempDir
    private Path folder;

    private ServerConfig config() {
        return Configuration.read(
                Optional.empty(), Map.of("BOXD_HOME", folder.resolve("home").toString()));
    }

    @Test
    void whatIsWrittenIsReadAndForItsOwnerOnly() throws IOException {
        Path file = folder.resolve("pass");
        Pass pass = Pass.make(config(), Set.of("api"));
        pass.write(file);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        Pass read = Pass.read(file);
        assertThat(read).isEqualTo(pass);
        assertThat(read.port()).isEqualTo(8442);
        assertThat(read.insideContext().getProtocol()).isEqualTo("TLSv1.3");
        assertThat(read.httpsContext().getProtocol()).isEqualTo("TLSv1.3");
        assertThat(read.toString()).doesNotContain("PRIVATE KEY");
        assertThat(read.inside())
                .isNotEqualTo(Pass.make(config(), Set.of("api")).inside());
    }

    @Test
    void whatIsNoPassIsRefusedWithWhatToDo() throws IOException {
        Path file = Files.writeString(folder.resolve("pass"), "{\"host\":\"127.0.0.1\"");
        assertThatThrownBy(() -> Pass.read(file))
                .isInstanceOfSatisfying(
                        BoxdException.class, e -> assertThat(e.hint()).contains("boxd pass"));
        assertThatThrownBy(() -> Pass.read(folder.resolve("none"))).hasMessageContaining("cannot read the pass");
    }
}
