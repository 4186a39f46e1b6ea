/**
 * Certificate authorities of an instance, and what they certify.
 *
 * <p>Knows no doors and no users: it makes keys and certificates, keeps them in files, and hands out what TLS needs.
 */
@NullMarked
package io.boxd.trust;

import org.jspecify.annotations.NullMarked;
