/**
 * What boxes have used, for good: counters and times come in as readings, and what lies between two of them is added
 * up.
 *
 * <p>Knows no machines, and does not look at anything by itself.
 */
@NullMarked
package io.boxd.meter;

import org.jspecify.annotations.NullMarked;
