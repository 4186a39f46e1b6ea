package io.boxd.worker;

import io.boxd.vmm.MachineSize;
import java.util.Optional;

/**
 * What a box takes of somebody's share while it is awake.
 *
 * @param box its id
 * @param organisation the id of the one it belongs to
 */
public record Claim(String box, String owner, Optional<String> organisation, MachineSize size) {
    static Claim of(BoxRow row) {
        return of(row, row.settings().size());
    }

    static Claim of(BoxRow row, MachineSize size) {
        return new Claim(row.id(), row.owner(), row.settings().sharing().organisation(), size);
    }
}
