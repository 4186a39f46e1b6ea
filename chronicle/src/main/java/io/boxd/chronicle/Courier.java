package io.boxd.chronicle;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Tells one webhook of events: one after the other, each at least once. An event that is not taken is tried again,
 * and those behind it wait, until it is given up.
 */
final class Courier {
    private static final System.Logger LOG = System.getLogger(Courier.class.getName());
    private static final Duration LOOK = Duration.ofSeconds(1);
    private static final int MOST_DEAD = 1000;

    /** What all couriers share. */
    record Office(
            Feed feed,
            WebhookStore store,
            WebhookSender sender,
            Function<Event, String> body,
            Semaphore lines,
            Backoff backoff) {}

    private final Webhook hook;
    private final Office office;
    private final CountDownLatch ended = new CountDownLatch(1);
    private final Thread thread;
    private volatile long cursor;
    private volatile int attempts;
    private volatile Optional<String> failure = Optional.empty();
    private volatile Optional<Instant> nextAttempt = Optional.empty();

    Courier(Webhook hook, Office office) {
        this.hook = hook;
        this.office = office;
        // Events that nobody has any more cannot be waited for.
        this.cursor = Math.min(office.store().cursor(hook.id()), office.feed().last());
        this.thread = Thread.ofVirtual().name("webhook-" + hook.id()).unstarted(this::run);
    }

    void begin() {
        thread.start();
    }

    WebhookView view() {
        return new WebhookView(
                hook.id(),
                hook.url(),
                hook.kinds(),
                hook.createdAt(),
                cursor,
                attempts,
                failure,
                nextAttempt,
                dead().size());
    }

    private void run() {
        while (ended.getCount() > 0) {
            try {
                Optional<Event> next = office.feed().next(cursor, Deadline.in(LOOK));
                if (next.isPresent() && !hook.wants(next.get())) {
                    cursor = next.get().sequence();
                } else if (next.isPresent()) {
                    tell(next.get());
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            } catch (RuntimeException e) {
                LOG.log(System.Logger.Level.ERROR, "something went wrong with webhook " + hook.id(), e);
                failure = Optional.of("the server could not write down that it was told");
                pause(office.backoff().after(attempts + 1, ThreadLocalRandom.current()));
            }
        }
    }

    private void tell(Event event) throws InterruptedException {
        for (int attempt = 1; ended.getCount() > 0; attempt++) {
            attempts = attempt;
            nextAttempt = Optional.empty();
            switch (send(event)) {
                case WebhookSender.Outcome.Delivered(int _) -> {
                    done(event);
                    return;
                }
                case WebhookSender.Outcome.Failed(String why) -> {
                    failure = Optional.of(why);
                    if (isOver(event)) {
                        bury(event, why);
                        done(event);
                        return;
                    }
                    pause(office.backoff().after(attempts, ThreadLocalRandom.current()));
                }
            }
        }
    }

    private WebhookSender.Outcome send(Event event) throws InterruptedException {
        office.lines().acquire();
        try {
            return office.sender().send(hook, event, office.body().apply(event));
        } finally {
            office.lines().release();
        }
    }

    private boolean isOver(Event event) {
        return event.at().plus(office.backoff().giveUp()).isBefore(Instant.now());
    }

    /** Written down after it was told: if the server ends between the two, it is told once more. */
    private void done(Event event) {
        office.store().moveTo(hook.id(), event.sequence());
        cursor = event.sequence();
        attempts = 0;
        nextAttempt = Optional.empty();
    }

    private void pause(Duration time) {
        nextAttempt = Optional.of(Instant.now().plus(time));
        try {
            if (ended.await(time.toMillis(), TimeUnit.MILLISECONDS)) {
                LOG.log(System.Logger.Level.DEBUG, "webhook " + hook.id() + " ends before it was told");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            ended.countDown();
        }
    }

    private synchronized void bury(Event event, String why) {
        List<DeadLetter> letters = new ArrayList<>(dead());
        letters.removeIf(letter -> letter.event().sequence() == event.sequence());
        letters.add(new DeadLetter(hook.id(), event, Instant.now(), attempts, why));
        if (letters.size() > MOST_DEAD) {
            letters.removeFirst();
        }
        office.store().dead(hook.id(), letters);
    }

    synchronized List<DeadLetter> dead() {
        return office.store().dead(hook.id());
    }

    /** Forgets what was given up: one event, or all. */
    synchronized int forget(Optional<Long> sequence) {
        List<DeadLetter> letters = dead();
        List<DeadLetter> left = letters.stream()
                .filter(letter -> sequence.isPresent() && letter.event().sequence() != sequence.get())
                .toList();
        if (left.size() == letters.size() && sequence.isPresent()) {
            throw new BoxdException(
                    ErrorCode.NOT_FOUND,
                    "no event " + sequence.get() + " of webhook " + hook.id() + " was given up",
                    "See them all: boxd webhook dead list.",
                    null);
        }
        office.store().dead(hook.id(), left);
        return letters.size() - left.size();
    }

    /** How many were told after all; the first that is not taken ends it. */
    Webhooks.Retried retry(Optional<Long> sequence) {
        List<DeadLetter> wanted = dead().stream()
                .filter(letter -> sequence.isEmpty() || letter.event().sequence() == sequence.get())
                .toList();
        int told = 0;
        try {
            for (DeadLetter letter : wanted) {
                if (send(letter.event()) instanceof WebhookSender.Outcome.Failed(String why)) {
                    return new Webhooks.Retried(told, wanted.size() - told, Optional.of(why));
                }
                forget(Optional.of(letter.event().sequence()));
                told++;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BoxdException(ErrorCode.UNAVAILABLE, "interrupted while events were sent", e);
        }
        return new Webhooks.Retried(told, 0, Optional.empty());
    }

    WebhookSender.Outcome test(Event event) {
        return office.sender().send(hook, event, office.body().apply(event));
    }

    /** What is being sent is sent; nothing follows it. */
    void end() {
        ended.countDown();
    }

    boolean awaitEnd(Deadline deadline) {
        try {
            return thread.join(deadline.left());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
