package io.boxd.meter;

/**
 * What was used in some time.
 *
 * @param memoryMebibyteMillis memory that a box may use times how long it was awake, in units that add up for centuries
 * @param diskMebibyteMillis the size of a box's disk times how long the box was there, asleep or not
 */
public record Consumption(
        long cpuNanos, long memoryMebibyteMillis, long diskMebibyteMillis, long receivedBytes, long sentBytes) {
    public static Consumption none() {
        return new Consumption(0, 0, 0, 0, 0);
    }

    public Consumption plus(Consumption other) {
        return new Consumption(
                cpuNanos + other.cpuNanos,
                memoryMebibyteMillis + other.memoryMebibyteMillis,
                diskMebibyteMillis + other.diskMebibyteMillis,
                receivedBytes + other.receivedBytes,
                sentBytes + other.sentBytes);
    }

    boolean isNothing() {
        return equals(none());
    }
}
