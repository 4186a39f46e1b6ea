/**
 * What this host gives us: system calls (through FFM), processes and their memory, control groups.
 *
 * <p>Knows nothing of machines. Each native call states why it is needed, its preconditions and how
 * its errors are reported.
 */
@NullMarked
package io.boxd.linux;

import org.jspecify.annotations.NullMarked;
