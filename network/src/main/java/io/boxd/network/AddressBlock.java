package io.boxd.network;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.common.InstanceId;
import io.boxd.linux.HostBlock;
import io.boxd.linux.NumberedSlots;
import java.net.Inet4Address;
import java.nio.file.Path;

/**
 * The addresses of one instance: its own, and one for each machine.
 *
 * <p>A block whose instance is not running stays taken while anything of that instance exists.
 */
final class AddressBlock implements AutoCloseable {
    private static final int BLOCK_PREFIX_LENGTH = 20;
    /** The first is nobody's, the second the instance's own; and no machine has the last. */
    private static final int FIRST_SLOT = 2;

    private static final int SLOTS = (1 << (32 - BLOCK_PREFIX_LENGTH)) - FIRST_SLOT - 1;

    private final HostBlock block;
    private final Ipv4Range range;
    private final NumberedSlots slots = new NumberedSlots(SLOTS);

    private AddressBlock(HostBlock block, Ipv4Range range) {
        this.block = block;
        this.range = range;
    }

    static AddressBlock take(WireConfig config) {
        Ipv4Range all = config.range();
        int blocks = 1 << Math.max(0, BLOCK_PREFIX_LENGTH - all.prefixLength());
        if (all.prefixLength() > BLOCK_PREFIX_LENGTH) {
            throw new BoxdException(
                    ErrorCode.INVALID_ARGUMENT,
                    "the range " + all + " is too small for one instance",
                    "Give at least a /" + BLOCK_PREFIX_LENGTH + ".",
                    null);
        }
        HostBlock.Kind kind = new HostBlock.Kind("net", "addresses", blocks, AddressBlock::isInUse);
        HostBlock block = HostBlock.take(
                config.registry(),
                config.home(),
                kind,
                number -> !HostRoutes.any(all.part(number, BLOCK_PREFIX_LENGTH)));
        return new AddressBlock(block, all.part(block.number(), BLOCK_PREFIX_LENGTH));
    }

    private static boolean isInUse(Path home) {
        WireNames names = new WireNames(InstanceId.of(home));
        return Interfaces.exists(names.gateway()) || !names.namespaceSlots().isEmpty();
    }

    Ipv4Range range() {
        return range;
    }

    /** Where machines see their host, and the host dials them from. */
    Inet4Address own() {
        return Ipv4.of(range.first() + 1);
    }

    int acquire() {
        return FIRST_SLOT
                + slots.acquire()
                        .orElseThrow(() -> new BoxdException(
                                ErrorCode.RESOURCE_EXHAUSTED, "this instance has " + SLOTS + " wires already"));
    }

    boolean acquire(int slot) {
        return slots.acquire(slot - FIRST_SLOT);
    }

    void release(int slot) {
        slots.release(slot - FIRST_SLOT);
    }

    Inet4Address address(int slot) {
        return Ipv4.of(range.first() + slot);
    }

    int slot(Inet4Address address) {
        return Ipv4.number(address) - range.first();
    }

    @Override
    public void close() {
        block.close();
    }
}
