package io.boxd.certificates;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicReference;

/** A clock that stands still unless it is moved; it begins at the real time, since authorities have that, too. */
final class TestingClock implements InstantSource {
    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.now());

    void move(Duration time) {
        now.updateAndGet(before -> before.plus(time));
    }

    @Override
    public Instant instant() {
        return now.get();
    }
}
