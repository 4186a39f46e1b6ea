/**
 * One virtual machine as one jailed QEMU process: starting, running, forking, pausing, ending.
 *
 * <p>Knows no users, no names and no networks; everything from inside a machine, and everything from
 * its QEMU process, is treated as hostile.
 */
@NullMarked
package io.boxd.vmm;

import org.jspecify.annotations.NullMarked;
