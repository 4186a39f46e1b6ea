/**
 * Memory of what happened: the audit of who did what, the events of what became of things, and the webhooks that
 * tell others of events.
 *
 * <p>Knows no boxes: what an entry or an event is about is an id and a name here. Nothing in it is ever waited for by
 * what it tells of, except by calls that change something while the audit's queue is full.
 */
@NullMarked
package io.boxd.chronicle;

import org.jspecify.annotations.NullMarked;
