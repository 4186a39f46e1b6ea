/** The finished program from outside: its command, its exit statuses, its words. */
@NullMarked
package io.boxd.trials;

import org.jspecify.annotations.NullMarked;
