package io.boxd.server;

import io.boxd.common.Deadline;
import io.boxd.guest.CommandOutput;
import io.boxd.guest.ExecRequest;
import io.boxd.worker.Box;
import io.boxd.worker.Boxes;
import io.boxd.worker.CheckpointRule;
import io.boxd.worker.Hold;
import io.boxd.worker.NewBox;
import io.boxd.worker.Origination;
import io.boxd.worker.SleepRules;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds out whether boxes can be made, by making one, running a command in it, and destroying it. */
final class Readiness implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Readiness.class);
    /** No user can give a box this name. */
    private static final String TRIAL = "boxd";

    private static final Duration TRIAL_LIMIT = Duration.ofMinutes(20);
    private static final Duration AGAIN_AFTER = Duration.ofSeconds(15);

    private final Boxes boxes;
    private final ServerConfig config;
    private final CountDownLatch ended = new CountDownLatch(1);
    private final Thread thread = Thread.ofVirtual().name("readiness").unstarted(this::run);
    private volatile Optional<String> obstacle = Optional.of("the first box is being tried");

    Readiness(Boxes boxes, ServerConfig config) {
        this.boxes = boxes;
        this.config = config;
    }

    void begin() {
        thread.start();
    }

    /** Why no box can be made; nothing if one can. */
    Optional<String> obstacle() {
        return obstacle;
    }

    private void run() {
        while (ended.getCount() > 0 && obstacle.isPresent()) {
            try {
                tryOne(Deadline.in(TRIAL_LIMIT));
                obstacle = Optional.empty();
                LOG.info("boxes can be made");
            } catch (RuntimeException e) {
                LOG.warn("no box can be made", e);
                obstacle = Optional.of("no box can be made: " + e.getMessage());
                pause();
            }
        }
    }

    private void pause() {
        try {
            if (ended.await(AGAIN_AFTER.toNanos(), TimeUnit.NANOSECONDS)) {
                LOG.debug("the server ends before a box could be made");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            ended.countDown();
        }
    }

    private void tryOne(Deadline deadline) {
        boxes.list().stream()
                .filter(box -> box.name().equals(TRIAL))
                .forEach(left -> boxes.destroy(List.of(left.id()), false, deadline));
        NewBox order = new NewBox(
                TRIAL,
                new Origination.FromImage(config.image()),
                Optional.of(config.size()),
                Map.of(),
                Map.of(),
                new SleepRules(Duration.ZERO, Duration.ZERO),
                new CheckpointRule.Off(),
                Optional.of(TRIAL_LIMIT),
                true);
        Box box = boxes.create(order, deadline);
        try (Hold hold = boxes.hold(box.id(), "trying whether a command runs", deadline)) {
            CommandOutput output = hold.agent().run(ExecRequest.argv("true"), deadline);
            LOG.info("a first box was ready after {} ms, its command said {}", box.readyMillis(), output.status());
        } finally {
            boxes.destroy(List.of(box.id()), false, deadline);
        }
    }

    @Override
    public void close() {
        ended.countDown(); // no interrupt: it would close the sockets of whatever machine is being made
    }
}
