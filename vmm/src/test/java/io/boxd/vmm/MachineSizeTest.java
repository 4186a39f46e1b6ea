package io.boxd.vmm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class MachineSizeTest {
    private static final long MIB = MachineSize.MIB;
    private static final long GIB = MachineSize.GIB;

    @Test
    void acceptsTheBounds() {
        assertThat(new MachineSize(1, 128 * MIB, 16 * MIB).cpus()).isEqualTo(1);
        assertThat(new MachineSize(16, 64 * GIB, 2048 * GIB).diskBytes()).isEqualTo(Qcow2Overlay.MAX_BYTES);
    }

    @Test
    void refusesWhatIsOutside() {
        refused(0, GIB, GIB, "a machine has 1 to 16 processors, not 0");
        refused(17, GIB, GIB, "a machine has 1 to 16 processors, not 17");
        refused(1, 127 * MIB, GIB, "whole MiB of memory");
        refused(1, 64 * GIB + MIB, GIB, "whole MiB of memory");
        refused(1, GIB + 4096, GIB, "whole MiB of memory");
        refused(1, Long.MIN_VALUE, GIB, "whole MiB of memory");
        refused(1, GIB, 15 * MIB, "whole MiB of disk");
        refused(1, GIB, 2048 * GIB + MIB, "whole MiB of disk");
        refused(1, GIB, GIB + 512, "whole MiB of disk");
        refused(1, GIB, Long.MAX_VALUE, "whole MiB of disk");
    }

    private static void refused(int cpus, long memory, long disk, String message) {
        assertThatThrownBy(() -> new MachineSize(cpus, memory, disk))
                .isInstanceOfSatisfying(
                        BoxdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
                .hasMessageContaining(message);
    }
}
