/** Measures the product end to end, with baselines from the same run; asserts nothing. */
@NullMarked
package io.boxd.bench;

import org.jspecify.annotations.NullMarked;
