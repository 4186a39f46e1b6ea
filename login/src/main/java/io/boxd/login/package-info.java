/**
 * Who somebody is elsewhere: talks to an OpenID Connect issuer, or to GitHub, on behalf of somebody at a terminal, and
 * believes nothing that is not signed for this very login.
 *
 * <p>Knows no users of this server and no door.
 */
@NullMarked
package io.boxd.login;

import org.jspecify.annotations.NullMarked;
