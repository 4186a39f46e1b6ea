package io.boxd.server;

import io.boxd.certificates.Certificates;
import io.boxd.certificates.CertificatesConfig;
import io.boxd.certificates.DnsProofs;
import io.boxd.certificates.HttpProofs;
import io.boxd.chronicle.Feed;
import io.boxd.control.CertificateEvents;
import io.boxd.dns.Challenges;
import io.boxd.dns.DnsConfig;
import io.boxd.dns.DnsServer;
import io.boxd.dns.ZoneConfig;
import io.boxd.trust.Authority;
import io.boxd.trust.Credentials;
import io.boxd.trust.Pem;
import io.boxd.trust.Subject;
import java.net.InetAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The names of an instance: who answers for them in DNS, and what certifies them. */
final class Naming implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Naming.class);
    private static final String FOLDER = "authority";
    private static final String LOCALHOST = "localhost";

    private final Authority authority;
    private final HttpProofs pages = new HttpProofs();
    private final Certificates certificates;
    private final Optional<DnsServer> dns;

    private Naming(ServerConfig config, Feed feed) {
        NamingConfig naming = config.naming();
        Challenges challenges = new Challenges();
        boolean open = config.roles().areAll();
        if (!open && naming.acme().isPresent()) {
            LOG.warn("no certificates are asked for by ACME: the doors that would show the proofs are elsewhere");
        }
        this.authority = authority(config);
        this.certificates = Certificates.open(
                new CertificatesConfig(
                        config.home().resolve("certificates"),
                        config.domain(),
                        HostAddresses.reaching(config.bind()),
                        naming.acme().filter(_ -> open)),
                authority,
                new Shown(challenges),
                pages,
                new CertificateEvents(feed),
                InstantSource.system());
        this.dns = open && naming.dnsPort().isPresent()
                ? Optional.of(DnsServer.open(
                        new DnsConfig(config.bind(), naming.dnsPort().getAsInt(), zone(config)), challenges))
                : Optional.empty();
    }

    /** DNS answers from now on; others are asked for certificates only after {@link #begin}. */
    static Naming open(ServerConfig config, Feed feed) {
        return new Naming(config, feed);
    }

    private static Authority authority(ServerConfig config) {
        return Authority.open(
                config.home().resolve(FOLDER), "boxd at " + config.home(), List.of(config.domain(), LOCALHOST));
    }

    /** Of the instance's own authority, for doors that are in a process of their own. */
    static Credentials credentials(ServerConfig config, Duration validity) {
        List<String> names = List.of(config.domain(), "*." + config.domain(), LOCALHOST);
        return authority(config)
                .issue(new Subject(config.domain(), names, HostAddresses.reaching(config.bind()), validity));
    }

    private static ZoneConfig zone(ServerConfig config) {
        NamingConfig naming = config.naming();
        return new ZoneConfig(
                config.domain(),
                doors(config),
                naming.nameServers().isEmpty()
                        ? List.of("ns1." + config.domain(), "ns2." + config.domain())
                        : naming.nameServers(),
                naming.certifiers());
    }

    /** To which addresses names lead. */
    static List<InetAddress> doors(ServerConfig config) {
        List<InetAddress> said = config.naming().doors();
        return said.isEmpty() ? HostAddresses.leadingTo(config.bind()) : said;
    }

    /** What our DNS server shows for others to see. */
    private record Shown(Challenges challenges) implements DnsProofs {
        @Override
        public void show(String host, String text) {
            challenges.show(host, text);
        }

        @Override
        public void remove(String host, String text) {
            challenges.remove(host, text);
        }
    }

    /** Others may be asked for certificates, now that all doors are open at which they look for proofs. */
    void begin() {
        certificates.begin();
    }

    Certificates certificates() {
        return certificates;
    }

    HttpProofs pages() {
        return pages;
    }

    /** The certificate of the instance's own authority, for clients to trust. */
    String authority() {
        return Pem.of(List.of(authority.certificate()));
    }

    /** At which DNS is answered, if it is. */
    Optional<Integer> dnsPort() {
        return dns.map(DnsServer::port);
    }

    @Override
    public void close() {
        certificates.close();
        dns.ifPresent(DnsServer::close);
    }
}
