/**
 * The DNS door: answers for the instance's domain and for nothing else.
 *
 * <p>Knows no boxes: every name that a box could have leads to the doors, whether there is such a box or not.
 */
@NullMarked
package io.boxd.dns;

import org.jspecify.annotations.NullMarked;
