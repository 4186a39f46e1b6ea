/**
 * The door to what boxes serve: a request that names a box by its host name is written anew, in the one way in which it
 * can be read, and passed to the box; the answer comes back the same way. Knows no machines, and nothing of the API.
 */
@NullMarked
package io.boxd.proxy;

import org.jspecify.annotations.NullMarked;
