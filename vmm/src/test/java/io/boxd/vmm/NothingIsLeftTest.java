package io.boxd.vmm;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.linux.HostTraces;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Runs last: closes the engine that all tests shared and looks for anything of it on the host. */
@Tag("machine")
@Tag("jail")
@Order(Integer.MAX_VALUE)
class NothingIsLeftTest {
    @Test
    void ofTheSharedEngine() throws IOException {
        TestHouse house = TestHouse.get();
        Path home = house.home();
        assertThat(folders(home.resolve("cells"))).as("cells").isEmpty();
        TestHouse.close();
        assertThat(folders(home.resolve("layers"))).as("layers").isEmpty();
        assertThat(folders(home.resolve("snapshots"))).as("snapshots").isEmpty();
        // Those of images are links that the next engine uses again; none made from a machine may be left.
        assertThat(folders(home.resolve("bases")))
                .as("bases")
                .allMatch(base -> base.matches(".*/(blank-)?[0-9a-f]{26,32}"));
        TestHouse.deleteHome(home);
        assertThat(HostTraces.of(home)).isEmpty();
    }

    private static List<String> folders(Path folder) throws IOException {
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.map(Path::toString).toList();
        }
    }
}
