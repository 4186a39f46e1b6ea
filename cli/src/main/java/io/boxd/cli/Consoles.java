package io.boxd.cli;

import io.boxd.console.Console;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;

/** The console of this process. */
final class Consoles {
    private Consoles() {}

    /** Without buffers between. */
    static Console ofProcess() {
        return new Console(
                System.getenv(),
                new FileInputStream(FileDescriptor.in),
                new FileOutputStream(FileDescriptor.out),
                new FileOutputStream(FileDescriptor.err),
                () -> Terminal.size().columns(),
                Terminal.isAt(0),
                Terminal.isAt(1),
                Terminal.isAt(2));
    }
}
