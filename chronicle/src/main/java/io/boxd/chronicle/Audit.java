package io.boxd.chronicle;

import io.boxd.chronicle.AuditEntry.Draft;
import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.linux.Durable;
import io.boxd.linux.Seal;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Who did what: deeds are handed over in memory and written down by one thread, many at a time.
 *
 * <p>Thread-safe. What was handed over is on disk a fifth of a second later, or after as many deeds as fill a batch.
 */
public final class Audit implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Audit.class.getName());

    /**
     * How it is written.
     *
     * @param gathering how long a deed may wait for others to be written with
     * @param batch how many are written at once
     * @param queue how many may wait
     * @param patience how long somebody waits for room in the queue
     * @param fileBytes a file that is longer is followed by another
     */
    record Rhythm(Duration gathering, int batch, int queue, Duration patience, long fileBytes) {
        static Rhythm usual() {
            return new Rhythm(Duration.ofMillis(200), 256, 4096, Duration.ofSeconds(5), 16L << 20);
        }
    }

    /** How soon it is noticed that something was lost, if nothing comes that would be written. */
    private static final Duration LOOK = Duration.ofSeconds(5);

    private static final Duration AGAIN_AFTER = Duration.ofSeconds(1);
    private static final Duration ENDING = Duration.ofSeconds(10);

    /** Something for the writer: a deed, or a question that is answered between two batches. */
    private sealed interface Order {
        record Write(Draft draft) implements Order {}

        record Tell(CompletableFuture<Standing> answer) implements Order {}

        /** Something else that its thread is to do. */
        record Run(Runnable work) implements Order {}
    }

    /**
     * How the audit stands at one moment.
     *
     * @param alone whether nobody else has written into the last file
     */
    record Standing(AuditHead head, boolean alone) {}

    private final Path folder;
    private final Seal seal;
    private final Rhythm rhythm;
    private final BlockingQueue<Order> queue;
    private final AtomicLong lost = new AtomicLong();
    private final AuditProgress progress = new AuditProgress();
    private final Thread writer;
    private final CountDownLatch closing = new CountDownLatch(1);
    private AuditLog log;

    private Audit(Path folder, Seal seal, Rhythm rhythm, AuditLog log) {
        this.folder = folder;
        this.seal = seal;
        this.rhythm = rhythm;
        this.log = log;
        this.queue = new ArrayBlockingQueue<>(rhythm.queue());
        this.writer = Thread.ofPlatform().daemon().name("audit").unstarted(this::write);
    }

    /** Opens the audit in this folder, or begins one. */
    static Audit open(Path folder, Seal seal) {
        return open(folder, seal, Rhythm.usual());
    }

    static Audit open(Path folder, Seal seal, Rhythm rhythm) {
        try {
            Audit audit = new Audit(folder, seal, rhythm, AuditLog.open(folder, seal, rhythm.fileBytes()));
            audit.progress.reached(audit.log.head());
            audit.writer.start();
            return audit;
        } catch (IOException e) {
            throw Durable.failure("cannot open the audit in " + folder, e);
        }
    }

    private boolean isClosing() {
        return closing.getCount() == 0;
    }

    /** Notes a deed without ever waiting: if there is no room, only that one was lost is noted. */
    public void note(Deed deed) {
        if (isClosing() || !queue.offer(new Order.Write(Draft.of(deed, Instant.now())))) {
            lost.incrementAndGet();
        }
    }

    /** Notes a deed; waits for room a little while, and counts it as lost only then. */
    public void noteSurely(Deed deed) {
        try {
            Order order = new Order.Write(Draft.of(deed, Instant.now()));
            if (isClosing() || !queue.offer(order, rhythm.patience().toNanos(), TimeUnit.NANOSECONDS)) {
                lost.incrementAndGet();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            lost.incrementAndGet();
        }
    }

    /** Something happened that is only counted, with all else that has no entry of its own. */
    public void omit() {
        lost.incrementAndGet();
    }

    /** Waits until everything that was noted before is on disk. */
    Standing settled(Deadline deadline) {
        CompletableFuture<Standing> answer = new CompletableFuture<>();
        try {
            if (isClosing() || !queue.offer(new Order.Tell(answer), deadline.leftNanos(), TimeUnit.NANOSECONDS)) {
                throw deadline.exceeded("writing the audit");
            }
            return answer.get(deadline.leftNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw deadline.exceeded("writing the audit");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BoxdException(ErrorCode.UNAVAILABLE, "waiting for the audit was interrupted", e);
        } catch (ExecutionException e) {
            throw new BoxdException(ErrorCode.UNAVAILABLE, "the audit cannot be written", e.getCause());
        }
    }

    /** Has the writer do something else for a while, as a disk that does not answer would; for tests. */
    void stall(Runnable busy) {
        queue.add(new Order.Run(busy));
    }

    /** The entries that are wanted, oldest first. */
    public List<AuditEntry> entries(AuditQuestion question, Deadline deadline) {
        settled(deadline);
        return reader().entries(question);
    }

    /** What is written down from now on; what was written before, too, as far as a place or a time was said. */
    public AuditFollower follow(AuditQuestion question, Deadline deadline) {
        AuditHead start = reader().place(question, settled(deadline).head());
        return new AuditFollower(new NumberedFiles(folder, AuditLog.NAME), start, progress, question);
    }

    private AuditReader reader() {
        return new AuditReader(new NumberedFiles(folder, AuditLog.NAME));
    }

    /** Proves that nobody has changed anything, or tells what. */
    public Verification verify(Deadline deadline) {
        Standing standing = settled(deadline);
        return new AuditVerifier(folder, seal, AuditVerifier.Check.all()).verify(standing.alone(), deadline);
    }

    private void write() {
        List<Draft> batch = new ArrayList<>();
        List<CompletableFuture<Standing>> questions = new ArrayList<>();
        while (gather(batch, questions)) {
            long count = lost.getAndSet(0);
            if (count > 0) {
                batch.add(Draft.lost(count, Instant.now()));
            }
            if (!batch.isEmpty()) {
                writeUntilDone(batch);
            }
            questions.forEach(this::answer);
            batch.clear();
            questions.clear();
        }
    }

    private void answer(CompletableFuture<Standing> question) {
        try {
            question.complete(new Standing(log.head(), log.isAlone()));
        } catch (IOException e) {
            question.completeExceptionally(e);
        }
    }

    /** Waits for something to do; false when there is nothing left and nothing more will come. */
    private boolean gather(List<Draft> batch, List<CompletableFuture<Standing>> questions) {
        try {
            Order first = isClosing() ? queue.poll() : queue.poll(LOOK.toNanos(), TimeUnit.NANOSECONDS);
            Deadline deadline = Deadline.in(rhythm.gathering());
            for (Order order = first; order != null; ) {
                switch (order) {
                    case Order.Write(Draft draft) -> batch.add(draft);
                    case Order.Tell(CompletableFuture<Standing> answer) -> questions.add(answer);
                    case Order.Run(Runnable work) -> work.run();
                }
                boolean wait = questions.isEmpty() && batch.size() < rhythm.batch() && !isClosing();
                order = wait ? queue.poll(deadline.leftNanos(), TimeUnit.NANOSECONDS) : null;
            }
            return !batch.isEmpty() || !questions.isEmpty() || !isClosing() || lost.get() > 0 || !queue.isEmpty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** A disk that cannot be written to is tried again: meanwhile the queue fills, then deeds count as lost. */
    private void writeUntilDone(List<Draft> batch) {
        List<Draft> left = batch;
        Deadline ending = Deadline.in(ENDING);
        while (!left.isEmpty()) {
            long before = log.head().sequence();
            try {
                log.append(left);
                progress.reached(log.head());
                return;
            } catch (IOException e) {
                LOG.log(System.Logger.Level.ERROR, "the audit cannot be written; trying again", e);
                left = left.subList(reopen(before, left.size(), ending), left.size());
            }
            if (isClosing() && ending.passed()) {
                LOG.log(System.Logger.Level.ERROR, "the audit ends without " + left.size() + " entries");
                return;
            }
        }
    }

    /** Nobody knows what a failed write has left: the file is looked at anew, and says how many of the batch it has. */
    private int reopen(long before, int size, Deadline ending) {
        while (!(isClosing() && ending.passed())) {
            try {
                boolean hurried = closing.await(AGAIN_AFTER.toNanos(), TimeUnit.NANOSECONDS);
                LOG.log(
                        System.Logger.Level.INFO,
                        hurried ? "the audit is tried a last time" : "the audit is tried again");
                log.close();
                log = AuditLog.open(folder, seal, rhythm.fileBytes());
                return Math.clamp(log.found() - before, 0, size);
            } catch (IOException | RuntimeException e) {
                LOG.log(System.Logger.Level.ERROR, "the audit cannot be opened again", e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return 0;
            }
        }
        return 0;
    }

    /** Writes down what was handed over, and ends. */
    @Override
    public void close() {
        closing.countDown();
        // Whoever waits for something to do; if there is no room for this, somebody is awake.
        boolean told = queue.offer(new Order.Run(() -> {}));
        try {
            writer.join(ENDING.multipliedBy(2).toMillis());
            if (writer.isAlive()) {
                LOG.log(System.Logger.Level.ERROR, "the audit does not end" + (told ? "" : ", its queue is full"));
            }
            log.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            throw Durable.failure("cannot close the audit", e);
        }
    }
}
