package io.boxd.network;

import java.util.Map;

/**
 * What has passed over a wire since it was made, and what has not.
 *
 * @param sentBytes by the machine, and let through
 * @param drops packets of the machine that were dropped, by kind; kinds without any are there, too
 */
public record Traffic(
        long sentPackets, long sentBytes, long receivedPackets, long receivedBytes, Map<Drop, Long> drops) {
    public Traffic {
        drops = Map.copyOf(drops);
    }

    public long dropped(Drop kind) {
        return drops.getOrDefault(kind, 0L);
    }
}
