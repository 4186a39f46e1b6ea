/**
 * Makes it so on this host: brings together machines (vmm) and their wires (network), which know nothing
 * of each other.
 */
@NullMarked
package io.boxd.worker;

import org.jspecify.annotations.NullMarked;
