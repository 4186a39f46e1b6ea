/**
 * The {@code boxd} command: says the verbs to a server over HTTP and shows what comes back. Starts fast: no
 * framework, no HTTP client library, JSON as a stream.
 */
@NullMarked
package io.boxd.cli;

import org.jspecify.annotations.NullMarked;
