package io.boxd.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where a certificate is put on the systems that there are, and that it is gone again. */
@Tag("unit")
final class SystemTrustTest {
    private static final String FINGERPRINT = "AB:".repeat(31) + "CD";

    @TempDir
    private Path root;

    private final List<List<String>> ran = new ArrayList<>();

    private SystemTrust system(String folder) throws IOException {
        Files.createDirectories(root.resolve(folder));
        return new SystemTrust(root, ran::add);
    }

    @Test
    void eachFamilyOfDistributionsHasItsPlace() throws IOException {
        SystemTrust trust = system("usr/local/share/ca-certificates");
        Path file = trust.install("certificate\n", FINGERPRINT);
        assertThat(file).hasContent("certificate\n").hasFileName("boxd-abababababababab.crt");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-r--r--");
        assertThat(ran).containsExactly(List.of("update-ca-certificates"));
        assertThat(trust.remove(FINGERPRINT)).isTrue();
        assertThat(file).doesNotExist();
        assertThat(trust.remove(FINGERPRINT)).as("only once").isFalse();
        assertThat(ran).hasSize(2);
    }

    @Test
    void othersHaveOtherPlaces() throws IOException {
        SystemTrust trust = system("etc/pki/ca-trust/source/anchors");
        assertThat(trust.install("certificate\n", FINGERPRINT))
                .hasParent(root.resolve("etc/pki/ca-trust/source/anchors"));
        assertThat(ran).containsExactly(List.of("update-ca-trust", "extract"));
    }

    @Test
    void whatIsNotKnownIsSaid() throws IOException {
        SystemTrust unknown = system("etc");
        assertThatThrownBy(() -> unknown.install("certificate\n", FINGERPRINT))
                .isInstanceOfSatisfying(
                        BoxdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE));
        SystemTrust known = system("usr/local/share/ca-certificates");
        assertThatThrownBy(() -> known.install("certificate\n", "../../etc/passwd"))
                .hasMessageContaining("no fingerprint");
        assertThat(ran).isEmpty();
    }
}
