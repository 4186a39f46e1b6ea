package io.boxd.control;

import io.boxd.guest.ExecRequest;
import java.time.Duration;
import java.util.Optional;

/**
 * A command that is to be run in a box.
 *
 * @param shown as it was typed, for people
 * @param interactive whether it is quiet when nobody types and it says nothing
 * @param checkpoint whether a snapshot is taken first
 * @param timeLimit after which it is killed
 */
record RunOrder(
        ExecRequest request, String shown, boolean interactive, boolean checkpoint, Optional<Duration> timeLimit) {}
