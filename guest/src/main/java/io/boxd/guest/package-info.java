/**
 * The host's end of the agent's channel: commands, files, ports, connections, renewal and power of
 * one machine, from outside.
 *
 * <p>Every byte that comes from a machine is hostile: sizes are checked before memory is taken, each
 * stream holds at most its window, every wait has a deadline. Not for starting machines and not for
 * deciding when to renew them; it is given a connected channel and knows nothing of what is behind it.
 * The protocol is specified in docs/agent-channel.md.
 */
@NullMarked
package io.boxd.guest;

import org.jspecify.annotations.NullMarked;
