package io.boxd.vmm;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.linux.ControlGroup;
import io.boxd.linux.FileMapping;
import io.boxd.linux.HostProcess;
import io.boxd.linux.ProcessMemory;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One jailed QEMU process with its sockets, files and limits; never used for a second machine.
 *
 * <p>Thread-safe. The cell is gone for good after {@link #close}; its disk files go with it unless
 * they were linked elsewhere before.
 */
final class Cell implements AutoCloseable {
    private static final long ENDING_SECONDS = 1;

    private final Cells cells;
    private final CellPlan plan;
    private final CellFolder folder;
    private final ControlGroup group;
    private final HostProcess process;
    private final Optional<Uplink> uplink;
    private final List<Consumer<QmpEvent>> listeners = new CopyOnWriteArrayList<>();
    private final CompletableFuture<EndReason> ended = new CompletableFuture<>();
    private final AtomicBoolean processEnded = new AtomicBoolean();
    private final AtomicBoolean removed = new AtomicBoolean();
    private final AtomicBoolean agentChannelTaken = new AtomicBoolean();
    private volatile EndReason expectedEnd = EndReason.PROCESS_DIED;
    private volatile boolean stalled;
    /** What it had used when it ended. */
    private volatile @Nullable Duration lastCpuTime;

    private volatile @Nullable Qmp qmp;
    private volatile @Nullable ConsoleLog console;
    private volatile @Nullable SocketChannel agentChannel;
    private volatile @Nullable ProcessMemory memory;

    Cell(
            Cells cells,
            CellPlan plan,
            CellFolder folder,
            ControlGroup group,
            HostProcess process,
            Optional<Uplink> uplink) {
        this.cells = cells;
        this.plan = plan;
        this.folder = folder;
        this.group = group;
        this.process = process;
        this.uplink = uplink;
    }

    /** Connects monitor, console and agent; all three were listening before the process started. */
    void connect(Deadline deadline) {
        agentChannel = UnixSockets.connect(folder.agentSocket());
        console = ConsoleLog.follow(UnixSockets.connect(folder.consoleSocket()), folder.consoleLog());
        try {
            Qmp monitor = Qmp.connect(folder.qmpSocket(), this::receive, deadline);
            qmp = monitor;
            // The monitor's end is the process's end: no polling.
            monitor.onEnd(() -> ended.complete(expectedEnd));
        } catch (BoxdException e) {
            throw explained(e);
        }
    }

    /** The error for a machine that did not come up: why, as far as QEMU or the guest told. */
    BoxdException explained(BoxdException failure) {
        // The sockets of a process that dies close a moment before it is gone.
        boolean gone = failure.code() == ErrorCode.UNAVAILABLE && process.awaitEnd(Deadline.inSeconds(ENDING_SECONDS));
        String what = gone ? "QEMU ended: " : "QEMU did not come up: " + failure.getMessage() + "; it said: ";
        ConsoleLog log = console;
        String lastLine = log == null ? "" : log.lastLine();
        return new BoxdException(
                failure.code(),
                what + Cells.lastWords(folder) + (lastLine.isEmpty() ? "" : "; the console ends with: " + lastLine),
                failure);
    }

    private void receive(QmpEvent event) {
        switch (event.name()) {
            case "GUEST_PANICKED" -> expectedEnd = EndReason.PANICKED;
            case "BLOCK_IO_ERROR" ->
                stalled = stalled || event.data().path("action").asString("").equals("stop");
            case "RESUME" -> stalled = false;
            case "SHUTDOWN" -> noteShutdown(event.data().path("reason").asString(""));
            default -> {
                // Other events matter only to those who listen for them.
            }
        }
        listeners.forEach(listener -> listener.accept(event));
    }

    private void noteShutdown(String reason) {
        switch (reason) {
            case "guest-shutdown" -> expectedEnd = EndReason.POWERED_OFF;
            case "guest-reset" ->
                expectedEnd = expectedEnd == EndReason.PANICKED || consoleShowsPanic()
                        ? EndReason.PANICKED
                        : EndReason.REBOOT_REQUESTED;
            case "guest-panic" -> expectedEnd = EndReason.PANICKED;
            default -> {
                // Ended from outside: the reason was set by whoever did it.
            }
        }
    }

    private boolean consoleShowsPanic() {
        ConsoleLog log = console;
        return log != null && log.showsPanic();
    }

    String id() {
        return plan.id();
    }

    CellPlan plan() {
        return plan;
    }

    CellFolder folder() {
        return folder;
    }

    ControlGroup group() {
        return group;
    }

    HostProcess process() {
        return process;
    }

    /** Processor time that everything in it has used so far; after its end, what that was. */
    Duration cpuTime() {
        Duration last = lastCpuTime;
        return last == null ? cells.cpuTime(this) : last;
    }

    /** With its process gone and its control group not yet. */
    void noteCpuTime(Duration time) {
        lastCpuTime = time;
    }

    Optional<Uplink> uplink() {
        return uplink;
    }

    Qmp qmp() {
        return connected(qmp);
    }

    ConsoleLog console() {
        return connected(console);
    }

    /** The connection to the agent's port if nobody has used it yet, else a new one. */
    SocketChannel freshAgentChannel() {
        SocketChannel unused = agentChannelTaken.compareAndSet(false, true) ? agentChannel : null;
        return unused != null && unused.isOpen() ? unused : reconnectAgent();
    }

    private SocketChannel reconnectAgent() {
        // QEMU talks to one at a time: another would wait behind the first for ever.
        closeQuietly(agentChannel);
        SocketChannel channel = UnixSockets.connect(folder.agentSocket());
        agentChannel = channel;
        return channel;
    }

    /** Guest memory, as this process has it mapped. */
    ProcessMemory memory() {
        ProcessMemory found = memory;
        if (found == null) {
            found = new ProcessMemory(process.pid(), FileMapping.find(process.pid(), plan.memory()));
            memory = found;
        }
        return found;
    }

    void listen(Consumer<QmpEvent> listener) {
        listeners.add(listener);
    }

    void unlisten(Consumer<QmpEvent> listener) {
        listeners.remove(listener);
    }

    /** Gives a cell that waited in a pool the processor share of a working one. */
    void promote() {
        cells.promote(this);
    }

    void noteStalled() {
        stalled = true;
    }

    /** Whether QEMU has stopped the machine because a write to its disk failed for want of space. */
    boolean stalled() {
        return stalled;
    }

    /** Completes with the reason once the process is gone. */
    CompletableFuture<EndReason> ended() {
        return ended;
    }

    /** Runs the action once the process is gone; it must not block. */
    void onEnd(Runnable action) {
        var _ = ended.thenRun(action);
    }

    /** Ends the process (if it has not ended by itself) and frees all but the files. */
    void end(Deadline deadline) {
        if (!processEnded.compareAndSet(false, true)) {
            return;
        }
        if (!ended.isDone() && expectedEnd == EndReason.PROCESS_DIED && process.alive()) {
            expectedEnd = EndReason.DESTROYED;
        }
        cells.end(this, deadline);
        ended.complete(expectedEnd);
        closeQuietly(qmp);
        closeQuietly(console);
        closeQuietly(agentChannel);
    }

    /** Lets go of a process that runs on. */
    void detach() {
        closeQuietly(qmp);
        closeQuietly(console);
        closeQuietly(agentChannel);
    }

    /** Ends the process and keeps the files, which are the caller's from now on. */
    void rest() {
        if (removed.compareAndSet(false, true)) {
            try {
                end(Deadline.inSeconds(10));
            } finally {
                cells.rest(this);
            }
        }
    }

    @Override
    public void close() {
        if (removed.compareAndSet(false, true)) {
            try {
                end(Deadline.inSeconds(10));
            } finally {
                cells.remove(this);
            }
        }
    }

    private static void closeQuietly(@Nullable AutoCloseable resource) {
        if (resource != null) {
            try {
                resource.close();
            } catch (Exception e) {
                throw new BoxdException(ErrorCode.INTERNAL, "cannot close a connection to a cell", e);
            }
        }
    }

    private static <T> T connected(@Nullable T value) {
        if (value == null) {
            throw new IllegalStateException("the cell is not connected");
        }
        return value;
    }
}
