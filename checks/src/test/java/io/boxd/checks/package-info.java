/** Tests of the house itself: which way dependencies point, and whether the sources are tidy. */
@NullMarked
package io.boxd.checks;

import org.jspecify.annotations.NullMarked;
