package io.boxd.vmm;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.Deadline;
import io.boxd.common.Json;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** What a guest can talk to is what we declare, and nothing else. */
@Tag("jail")
class DevicesTest {
    /** Of an emulated machine with one processor: kind → how many. */
    private static final Map<String, Integer> DECLARED = Map.ofEntries(
            // What we ask for.
            Map.entry("virtio-blk-device", 1),
            Map.entry("virtio-net-device", 1),
            Map.entry("virtio-rng-device", 1),
            Map.entry("virtio-serial-device", 1),
            Map.entry("virtserialport", 1),
            Map.entry("isa-serial", 1),
            Map.entry("serial", 1),
            Map.entry("mc146818rtc", 1),
            // What the smallest kind of machine consists of.
            Map.entry("max-x86_64-cpu", 1),
            Map.entry("apic", 1),
            Map.entry("kvmvapic", 1),
            Map.entry("ioapic", 2),
            Map.entry("isa-i8259", 2),
            Map.entry("isa-pit", 1),
            Map.entry("isabus-bridge", 1),
            Map.entry("fw_cfg_io", 1),
            Map.entry("acpi-ged-x86", 1),
            // Slots for the devices above, most of them empty.
            Map.entry("virtio-mmio", 24));

    @Test
    void aMachineHasExactlyTheDeclaredDevices() {
        try (Machine machine = TestHouse.get().start(TestHouse.get().tinyBase())) {
            assertThat(devices(machine.cell().qmp())).containsExactlyInAnyOrderEntriesOf(DECLARED);
        }
    }

    @Test
    void anUndeclaredDeviceIsNoticed() {
        try (TestingCells cells = TestingCells.open()) {
            Cell cell = cells.start(TestHouse.get().tinyBase(), (folder, plan) -> {
                List<String> more = new ArrayList<>(plan.arguments());
                more.addAll(List.of("-device", "virtio-balloon-device"));
                return TestingCells.withArguments(plan, more);
            });
            cell.connect(Deadline.inSeconds(30));
            Map<String, Integer> expected = new TreeMap<>(DECLARED);
            expected.put("virtio-balloon-device", 1);
            assertThat(devices(cell.qmp())).containsExactlyInAnyOrderEntriesOf(expected);
        }
    }

    private static Map<String, Integer> devices(Qmp qmp) {
        ObjectNode arguments = Json.object();
        arguments.put("implements", "device");
        Set<String> kinds = new HashSet<>();
        for (JsonNode type : qmp.execute("qom-list-types", arguments, Deadline.inSeconds(30))) {
            kinds.add(type.path("name").asString(""));
        }
        Map<String, Integer> found = new TreeMap<>();
        count(qmp, "/machine", kinds, found);
        return found;
    }

    /** Counts devices in QEMU's tree of objects, which holds those of the board and those we added. */
    private static void count(Qmp qmp, String path, Set<String> kinds, Map<String, Integer> found) {
        ObjectNode arguments = Json.object();
        arguments.put("path", path);
        for (JsonNode property : qmp.execute("qom-list", arguments, Deadline.inSeconds(30))) {
            String type = property.path("type").asString("");
            if (type.startsWith("child<")) {
                String kind = type.substring("child<".length(), type.length() - 1);
                if (kinds.contains(kind)) {
                    found.merge(kind, 1, Integer::sum);
                }
                count(qmp, path + "/" + property.path("name").asString(""), kinds, found);
            }
        }
    }
}
