package io.boxd.guest;

/** The two orderly ends of a machine. */
public enum ShutdownMode {
    POWER_OFF(0),
    REBOOT(1);

    private final int wireValue;

    ShutdownMode(int wireValue) {
        this.wireValue = wireValue;
    }

    int wireValue() {
        return wireValue;
    }
}
