package io.boxd.ssh;

import io.boxd.console.Interrupts;

/** What Ctrl-C does at the moment, and the client's leaving, too. */
final class Stop implements Interrupts {
    private volatile Runnable action = () -> {};

    @Override
    public void on(Runnable newAction) {
        action = newAction;
    }

    /** Nothing, until somebody says what. */
    void off() {
        on(() -> {});
    }

    /** On a thread of its own: whoever reads keys must be able to go on. */
    void now() {
        Thread.ofVirtual().name("ssh-stop").start(action);
    }
}
