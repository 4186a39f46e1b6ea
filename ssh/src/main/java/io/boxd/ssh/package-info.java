/**
 * The SSH doors: verbs and boxes for whoever has an SSH client. Knows keys, channels and terminals; what is done to
 * boxes it leaves to {@code control}, and no machine is known here.
 */
@NullMarked
package io.boxd.ssh;

import org.jspecify.annotations.NullMarked;
