package io.boxd.dns;

import java.time.Duration;

/**
 * What those who come by TCP may take of this server.
 *
 * @param connections of all of them at a time
 * @param connectionsOfOne at a time
 * @param question how long one may take to arrive, from the end of the one before
 * @param connection how long a connection may last, whatever happens on it
 */
record StreamLimits(int connections, int connectionsOfOne, Duration question, Duration connection) {
    static final StreamLimits USUAL = new StreamLimits(256, 16, Duration.ofSeconds(10), Duration.ofSeconds(60));
}
