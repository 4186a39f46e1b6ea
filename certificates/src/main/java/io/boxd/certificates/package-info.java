/**
 * Which certificate is shown for which name, where it comes from, and that it is renewed in time.
 *
 * <p>Knows no boxes and speaks no protocol with clients: it is told the names that doors answer for, and gives them
 * what TLS needs. Handshakes never wait for it.
 */
@NullMarked
package io.boxd.certificates;

import org.jspecify.annotations.NullMarked;
