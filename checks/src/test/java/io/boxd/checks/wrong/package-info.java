/** A house built wrongly on purpose: each class breaks one rule, to prove that the rule notices. */
@NullMarked
package io.boxd.checks.wrong;

import org.jspecify.annotations.NullMarked;
