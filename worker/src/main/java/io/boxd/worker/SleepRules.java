package io.boxd.worker;

import java.time.Duration;

/**
 * When a box goes to sleep by itself.
 *
 * @param idleAfter how long nothing must happen before standby; zero: never
 * @param hibernateAfter how long in standby before hibernation; zero: never
 */
public record SleepRules(Duration idleAfter, Duration hibernateAfter) {}
