package io.boxd.guest;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Figures of a machine as its kernel counts them, since its start where they are sums; claims, not proofs. */
public record MachineMetrics(
        Processor processor,
        Duration uptime,
        Load load,
        long processes,
        Memory memory,
        Network network,
        List<Disk> disks) {
    private static final long MILLIS_PER_HUNDREDTH = 10;
    private static final int MAX_DISKS = 16;
    private static final double HUNDREDTHS = 100.0;

    /** Time of all processors together, in ticks. */
    public record Processor(
            long user,
            long nice,
            long system,
            long idle,
            long waiting,
            long interrupts,
            long softInterrupts,
            long stolen,
            long ticksPerSecond,
            long count) {}

    /** Tasks that run or want to, on average over 1, 5 and 15 minutes. */
    public record Load(double one, double five, double fifteen) {}

    /** In bytes. */
    public record Memory(long total, long available, long free, long cached, long swapTotal, long swapFree) {}

    /** Of all interfaces but the loopback. */
    public record Network(long receivedBytes, long sentBytes, long receivedPackets, long sentPackets) {}

    /** The file system that is mounted on a path. */
    public record Disk(String mountedOn, FileSystemRoom room) {}

    static MachineMetrics parse(PayloadReader reader) throws ProtocolException {
        Processor processor = new Processor(
                reader.s64(),
                reader.s64(),
                reader.s64(),
                reader.s64(),
                reader.s64(),
                reader.s64(),
                reader.s64(),
                reader.s64(),
                reader.u32(),
                reader.u32());
        long hundredths = Math.min(reader.count(), Long.MAX_VALUE / MILLIS_PER_HUNDREDTH);
        Duration uptime = Duration.ofMillis(hundredths * MILLIS_PER_HUNDREDTH);
        Load load = new Load(reader.u32() / HUNDREDTHS, reader.u32() / HUNDREDTHS, reader.u32() / HUNDREDTHS);
        long processes = reader.u32();
        Memory memory = new Memory(reader.s64(), reader.s64(), reader.s64(), reader.s64(), reader.s64(), reader.s64());
        Network network = new Network(reader.s64(), reader.s64(), reader.s64(), reader.s64());
        return new MachineMetrics(processor, uptime, load, processes, memory, network, disks(reader));
    }

    private static List<Disk> disks(PayloadReader reader) throws ProtocolException {
        int count = reader.u8();
        if (count > MAX_DISKS) {
            throw new ProtocolException("a machine has too many disks");
        }
        List<Disk> disks = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            disks.add(new Disk(reader.text(Wire.MAX_NAME_BYTES), FileSystemRoom.parse(reader)));
        }
        return List.copyOf(disks);
    }
}
