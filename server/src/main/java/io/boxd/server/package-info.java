/**
 * Wires the rooms into one program: configuration, start, end, and what the host must have.
 */
@NullMarked
package io.boxd.server;

import org.jspecify.annotations.NullMarked;
