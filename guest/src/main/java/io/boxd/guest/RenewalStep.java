package io.boxd.guest;

/** What a renewal can give a machine anew, in the order in which it is done. */
public enum RenewalStep {
    RNG("rng", 1),
    CLOCK("clock", 2),
    HOSTNAME("hostname", 4),
    MACHINE_ID("machine_id", 8),
    BOOT_ID("boot_id", 16),
    GENERATION("generation", 32),
    /** The image's own programs; the only step whose failure leaves the machine usable. */
    HOOKS("hooks", 64);

    private final String wireName;
    private final int bit;

    RenewalStep(String wireName, int bit) {
        this.wireName = wireName;
        this.bit = bit;
    }

    String wireName() {
        return wireName;
    }

    int bit() {
        return bit;
    }

    /** Whether a machine on which this failed must not be offered to anyone. */
    public boolean mandatory() {
        return this != HOOKS;
    }
}
