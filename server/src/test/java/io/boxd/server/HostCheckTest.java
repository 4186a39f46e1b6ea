package io.boxd.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is said about hosts that have this and lack that. */
@Tag("unit")
class HostCheckTest {
    @TempDir
    private Path root;

    private Finding find(String what, Optional<String> accelerator) {
        ServerConfig config = Configuration.read(
                Optional.empty(), Map.of("BOXD_HOME", root.resolve("home").toString()));
        return new HostCheck(config, root)
                .all(accelerator).stream()
                        .filter(finding -> finding.what().equals(what))
                        .findFirst()
                        .orElseThrow();
    }

    @Test
    void withoutKvmItIsSaidWhatThatMeans() throws IOException {
        Finding none = find("kvm", Optional.empty());
        assertThat(none.state()).isEqualTo(Finding.State.DEGRADED);
        assertThat(none.detail()).contains("no /dev/kvm").contains("no security boundary");
        assertThat(none.remedy()).isNotBlank();
        Files.createFile(Files.createDirectories(root.resolve("dev")).resolve("kvm"));
        assertThat(find("kvm", Optional.of("tcg")).detail()).contains("no machine runs with it");
        assertThat(find("kvm", Optional.of("kvm")).state()).isEqualTo(Finding.State.FOUND);
        assertThat(find("kvm", Optional.empty()).detail()).contains("is tried when the server starts");
    }

    @Test
    void controlGroupsOfBothVersionsAreKnown() throws IOException {
        assertThat(find("control groups", Optional.empty()).state()).isEqualTo(Finding.State.MISSING);
        Files.createDirectories(root.resolve("sys/fs/cgroup/memory"));
        assertThat(find("control groups", Optional.empty()).state()).isEqualTo(Finding.State.DEGRADED);
        Files.createFile(root.resolve("sys/fs/cgroup/cgroup.controllers"));
        assertThat(find("control groups", Optional.empty()).state()).isEqualTo(Finding.State.FOUND);
    }

    @Test
    void scarceMemoryIsNoticed() throws IOException {
        Files.writeString(
                Files.createDirectories(root.resolve("proc")).resolve("meminfo"), "MemAvailable:  500000 kB\n");
        assertThat(find("memory", Optional.empty()).state()).isEqualTo(Finding.State.DEGRADED);
        Files.writeString(root.resolve("proc/meminfo"), "MemTotal: 1 kB\nMemAvailable:  32000000 kB\n");
        assertThat(find("memory", Optional.empty()).state()).isEqualTo(Finding.State.FOUND);
    }

    @Test
    void everyFindingThatIsNotGoodSaysWhatToDo() {
        ServerConfig config = Configuration.read(
                Optional.empty(), Map.of("BOXD_HOME", root.resolve("home").toString()));
        List<Finding> findings = new HostCheck(config, root).all(Optional.empty());
        assertThat(findings).hasSizeGreaterThan(10);
        assertThat(findings)
                .filteredOn(finding -> finding.state() != Finding.State.FOUND)
                .allSatisfy(finding -> assertThat(finding.remedy()).isNotBlank());
    }

    @Test
    void aProgramThatIsNowhereIsMissing() {
        assertThat(new Requirement("no-such-program", "x", "x", false).find("/usr/bin"))
                .isEmpty();
        assertThat(new Requirement("sh", "x", "x", false).find("")).isPresent();
        assertThat(new Requirement("sh", "x", "x", true).find(""))
                .as("needs libraries")
                .isEmpty();
    }

    @Test
    void theUnitsLeaveBoxesAloneAndHibernateThemInTime() {
        String server = Systemd.serverUnit(List.of("/opt/a b/boxd", "serve"));
        assertThat(server)
                .contains("ExecStart=\"/opt/a b/boxd\" \"serve\"")
                .contains("KillMode=process")
                .contains("SuccessExitStatus=143");
        String boxes = Systemd.boxesUnit(List.of("/usr/bin/100%", "down", "--boxes"));
        assertThat(boxes)
                .contains("ExecStop=\"/usr/bin/100%%\" \"down\" \"--boxes\"")
                .contains("After=boxd.service")
                .contains("RemainAfterExit=yes")
                .doesNotContain("BindsTo")
                .doesNotContain("Requires");
    }
}
