/**
 * Who somebody is and what they may do: users, their keys and tokens, organisations, quotas.
 *
 * <p>Pure data and decisions about them. Knows neither how anything is kept nor any door, and of boxes only who has
 * them and how large they are.
 */
@NullMarked
package io.boxd.accounts;

import org.jspecify.annotations.NullMarked;
