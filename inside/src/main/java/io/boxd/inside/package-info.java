/**
 * The one way from doors to control when they are not in the same process: conversations over mutual TLS.
 *
 * <p>Says what control's interface says and nothing else: knows no door's protocol, decides nothing, keeps nothing.
 */
@NullMarked
package io.boxd.inside;

import org.jspecify.annotations.NullMarked;
