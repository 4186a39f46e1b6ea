package io.boxd.vmm;

import java.nio.file.Path;

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

    /** Its name in QEMU's block graph. */
    String nodeName() {
        return "layer-" + id;
    }
}
