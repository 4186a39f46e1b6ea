package io.boxd.vmm;

import java.nio.file.Path;

/** The one layer of a machine's disk that it may write, in the machine's own folder. */
record TopLayer(String id, Path file) {
    String nodeName() {
        return "top-" + id;
    }

    String pathInJail() {
        return Jail.DISK + "/" + file.getFileName();
    }
}
