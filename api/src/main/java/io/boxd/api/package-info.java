/**
 * The HTTP door: the verbs under {@code /v1}, streams over WebSocket. Knows no machine.
 */
@NullMarked
package io.boxd.api;

import org.jspecify.annotations.NullMarked;
