package io.boxd.vmm;

import java.nio.file.Path;
import java.util.List;

/** One frozen layer of a disk: a file that nobody writes any more. */
public record Layer(String id, Path file, Format format) {
    /** How the bytes of a layer are to be read; always told to QEMU, never guessed from content. */
    public enum Format {
        RAW("raw"),
        QCOW2("qcow2");

        private final String driver;

        Format(String driver) {
            this.driver = driver;
        }

        String driver() {
            return driver;
        }
    }

    /** How many layers two disks have in common, from the lowest up. */
    static int common(List<Layer> one, List<Layer> other) {
        int count = 0;
        while (count < Math.min(one.size(), other.size())
                && one.get(count).id().equals(other.get(count).id())) {
            count++;
        }
        return count;
    }

    /** Its name in QEMU's block graph. */
    String nodeName() {
        return "layer-" + id;
    }
}
