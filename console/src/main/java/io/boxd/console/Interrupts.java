package io.boxd.console;

/** How somebody says that something is to end: Ctrl-C, mostly. */
@FunctionalInterface
public interface Interrupts {
    /** Runs the action each time, on another thread, instead of what was run before. */
    void on(Runnable action);
}
