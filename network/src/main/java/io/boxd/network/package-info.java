/**
 * A wire for each machine: a network namespace with a tap, an address of its own on the host, and rules
 * that decide what may pass; a resolver for all of them; packets kept for machines that sleep.
 *
 * <p>Knows no machines and no accounts. Nothing here changes the host's own firewall.
 */
@NullMarked
package io.boxd.network;

import org.jspecify.annotations.NullMarked;
