package io.boxd.guest;

/** What may be removed under a name. */
public enum Removal {
    /** A file, a link or an empty folder. */
    ANY(0),
    /** Anything but a folder. */
    FILE(1),
    /** An empty folder. */
    FOLDER(2),
    /** A folder with everything in it, links not followed; or anything else. */
    TREE(3);

    private final int wireValue;

    Removal(int wireValue) {
        this.wireValue = wireValue;
    }

    int wireValue() {
        return wireValue;
    }
}
