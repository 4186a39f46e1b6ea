/**
 * What a person sees of verbs, whichever door they stand at: lines, tables, progress, and what could come next while
 * they type. Knows no server and no protocol.
 */
@NullMarked
package io.boxd.console;

import org.jspecify.annotations.NullMarked;
