package io.boxd.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.accounts.Quota;
import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is configured, and what is said when it is wrong. */
@Tag("unit")
class ConfigurationTest {
    @TempDir
    private Path folder;

    private ServerConfig read(String toml, Map<String, String> environment) throws IOException {
        Path file = Files.writeString(folder.resolve("boxd.toml"), toml);
        return Configuration.read(Optional.of(file), environment);
    }

    @Test
    void everythingHasADefault() throws IOException {
        ServerConfig config = read("", Map.of());
        assertThat(config.home()).isEqualTo(Path.of("/var/lib/boxd"));
        assertThat(config.bind().getHostAddress()).isEqualTo("127.0.0.1");
        assertThat(config.httpPort()).isEqualTo(8080);
        assertThat(config.size().cpus()).isEqualTo(2);
        assertThat(config.size().memoryBytes()).isEqualTo(8L << 30);
        assertThat(config.size().diskBytes()).isEqualTo(100L << 30);
        assertThat(config.sleep().idleAfter()).isEqualTo(Duration.ofSeconds(30));
        assertThat(config.sleep().hibernateAfter()).isEqualTo(Duration.ofMinutes(10));
        assertThat(config.quota()).isEqualTo(new Quota(10, 10, 20, 80L << 30, 1000L << 30, 1000));
        assertThat(config.privateWebhooks()).isFalse();
    }

    @Test
    void theFileCountsMoreAndTheEnvironmentMost() throws IOException {
        String toml = """
            home = "/srv/boxd"
            http_port = 0
            memory = "2G"
            cpus = 4
            idle = "off"
            uplinks = ["eth0", "eth1"]
            webhooks_allow_private = true
            """;
        ServerConfig config = read(toml, Map.of("BOXD_CPUS", "1", "BOXD_HOME", "", "BOXD_TOKEN", "secret"));
        assertThat(config.home()).isEqualTo(Path.of("/srv/boxd"));
        assertThat(config.httpPort()).isZero();
        assertThat(config.size().memoryBytes()).isEqualTo(2L << 30);
        assertThat(config.size().cpus()).isEqualTo(1);
        assertThat(config.sleep().idleAfter()).isZero();
        assertThat(config.uplinks()).containsExactly("eth0", "eth1");
        assertThat(config.privateWebhooks()).isTrue();
    }

    @Test
    void allProblemsAreToldAtOnceWithTheirPlaces() {
        String toml = """
            home = "relative"
            http_prot = 1

            memory = "much"
            [more]
            thing = 1
            """;
        assertThatThrownBy(() -> read(toml, Map.of("BOXD_QUOTA_BOXES", "none", "BOXD_BIND", "example.org")))
                .isInstanceOfSatisfying(
                        BoxdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
                .hasMessageContaining("line 1: home is an absolute path, not 'relative'")
                .hasMessageContaining("line 2: there is no setting 'http_prot'")
                .hasMessageContaining("line 4: memory is a size")
                .hasMessageContaining("line 6: there is no setting 'more.thing'")
                .hasMessageContaining("BOXD_QUOTA_BOXES: quota_boxes is 1 to 2000, not 'none'")
                .hasMessageContaining("BOXD_BIND: bind is an address");
    }

    @Test
    void whatIsNoTomlIsToldWithItsLine() {
        assertThatThrownBy(() -> read("home = \"/a\"\ncpus = = 2\n", Map.of())).hasMessageContaining("line 2");
    }

    @Test
    void aFileThatSomebodyNamedMustBeThere() {
        assertThatThrownBy(() -> Configuration.read(Optional.of(folder.resolve("none")), Map.of()))
                .isInstanceOfSatisfying(
                        BoxdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_FOUND));
    }

    @Test
    void aProcessIsAllRolesUnlessSomebodySays() throws IOException {
        assertThat(read("", Map.of()).roles().areAll()).isTrue();
        Roles inside = read("roles = \"control,worker\"", Map.of()).roles();
        assertThat(inside.has(Role.CONTROL) && inside.has(Role.WORKER)).isTrue();
        assertThat(inside.doors()).isEmpty();
        Roles doors = read("", Map.of("BOXD_ROLES", "api", "BOXD_PASS", "/etc/boxd/pass", "BOXD_HTTP_PORT", "0"))
                .roles();
        assertThat(doors.doors()).containsExactly("api");
        assertThat(doors.pass()).contains(Path.of("/etc/boxd/pass"));
    }

    @Test
    void rolesThatCannotBeAreRefused() {
        assertThatThrownBy(() -> read("roles = \"control\"", Map.of()))
                .hasMessageContaining("control and worker are in one process for now: say both, or neither");
        assertThatThrownBy(() -> read("roles = \"worker,api\"", Map.of())).hasMessageContaining("say both, or neither");
        assertThatThrownBy(() -> read("roles = \"nonsense\"", Map.of()))
                .hasMessageContaining("names with commas between");
        assertThatThrownBy(() -> read("roles = \"control,worker\"", Map.of("BOXD_HTTP_PORT", "0")))
                .hasMessageContaining("so that the command finds it");
        assertThatThrownBy(() -> read("inside_bind = \"0.0.0.0\"", Map.of()))
                .hasMessageContaining("one address of this host");
        assertThatThrownBy(() -> Doors.open(read("roles = \"api\"", Map.of()))).hasMessageContaining("need a pass");
    }

    @Test
    void sizesThatNoMachineHasAreRefused() {
        assertThatThrownBy(() -> read("memory = \"1M\"", Map.of())).hasMessageContaining("128 MiB");
    }
}
