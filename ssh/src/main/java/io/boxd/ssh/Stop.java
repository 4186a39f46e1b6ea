package io.boxd.ssh;

import io.boxd.console.Interrupts;

/**
 * What Ctrl-C does to one deed; the client's leaving, too.
 *
 * <p>Nobody waits any longer for what is only waited for, and what was opened for it is closed, also when it is opened
 * too late.
 */
final class Stop implements Interrupts {
    private final Runnable usual;
    private Runnable also = () -> {};
    private boolean instead;
    private boolean stopped;

    /** @param usual what is done unless a deed knows better */
    Stop(Runnable usual) {
        this.usual = usual;
    }

    @Override
    public void on(Runnable action) {
        set(action, false);
    }

    /** The deed itself says when it is over. */
    void instead(Runnable action) {
        set(action, true);
    }

    private void set(Runnable action, boolean isInstead) {
        boolean late;
        synchronized (this) {
            also = action;
            instead = isInstead;
            late = stopped;
        }
        if (late) {
            action.run();
        }
    }

    /** On a thread of its own: whoever reads keys must be able to go on. */
    void now() {
        Runnable action;
        boolean also;
        synchronized (this) {
            stopped = true;
            action = this.also;
            also = !instead;
        }
        if (also) {
            usual.run();
        }
        Thread.ofVirtual().name("ssh-stop").start(action);
    }
}
