/**
 * A log of decisions, and the state that follows from it.
 *
 * <p>Knows no boxes and no users: those are {@link io.boxd.ledger.Book}s, which say what a command changes. Whatever is
 * acknowledged here is in a log that survives a power cut; the state is a SQLite file that the log can make again.
 * Damage to either is never passed over.
 */
@NullMarked
package io.boxd.ledger;

import org.jspecify.annotations.NullMarked;
