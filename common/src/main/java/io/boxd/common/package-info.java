/**
 * What every room of the house uses and none owns: the JSON mapper, deadlines, errors with codes.
 *
 * <p>Not a place for helpers: a thing belongs here only when two rooms need the very same one.
 */
@NullMarked
package io.boxd.common;

import org.jspecify.annotations.NullMarked;
