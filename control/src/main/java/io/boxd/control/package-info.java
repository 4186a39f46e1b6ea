/**
 * Decides what boxes are to be, in the words that users say, and lets the worker do it: names, defaults, limits,
 * executions, files, and the JSON of it all. Knows no protocol.
 */
@NullMarked
package io.boxd.control;

import org.jspecify.annotations.NullMarked;
