/**
 * What can be said to boxd, once: the verbs with their parameters and routes, how they are typed, and how
 * answers are shown. Knows no door and no machine: every door uses this room, none is used by it.
 */
@NullMarked
package io.boxd.verbs;

import org.jspecify.annotations.NullMarked;
