package io.boxd.server;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.trust.Authority;
import io.boxd.trust.Credentials;
import io.boxd.trust.Pem;
import io.boxd.trust.Subject;
import io.boxd.trust.Trust;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import javax.net.ssl.SSLContext;

/**
 * What this server shows whoever asks it with TLS: a certificate of the instance's own authority, made anew each time
 * that the server starts.
 *
 * @param authority its certificate, for clients to trust
 */
record OwnCertificates(Credentials own, X509Certificate authority) {
    private static final String FOLDER = "authority";
    private static final String LOCALHOST = "localhost";
    /** What clients accept at most; servers do not run that long. */
    static final Duration VALIDITY = Duration.ofDays(397);

    static OwnCertificates of(ServerConfig config) {
        Authority authority = Authority.open(
                config.home().resolve(FOLDER), "boxd at " + config.home(), List.of(config.domain(), LOCALHOST));
        Subject subject = new Subject(
                config.domain(),
                List.of(config.domain(), "*." + config.domain(), LOCALHOST),
                List.copyOf(addresses(config.bind())),
                VALIDITY);
        return new OwnCertificates(authority.issue(subject), authority.certificate());
    }

    SSLContext context() {
        return Trust.mutual(own, authority);
    }

    /** As everybody reads it. */
    String authorityText() {
        return Pem.of(List.of(authority));
    }

    /** At which it can be reached. */
    private static Set<InetAddress> addresses(InetAddress bind) {
        try {
            Set<InetAddress> addresses = new LinkedHashSet<>();
            if (!bind.isAnyLocalAddress()) {
                addresses.add(bind);
                return addresses;
            }
            addresses.add(InetAddress.ofLiteral("127.0.0.1"));
            NetworkInterface.networkInterfaces()
                    .flatMap(NetworkInterface::inetAddresses)
                    .filter(address -> !address.isLinkLocalAddress())
                    .forEach(addresses::add);
            return addresses;
        } catch (SocketException e) {
            throw new BoxdException(ErrorCode.INTERNAL, "the addresses of this host cannot be found", e);
        }
    }
}
