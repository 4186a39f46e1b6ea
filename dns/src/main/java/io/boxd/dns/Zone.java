package io.boxd.dns;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.xbill.DNS.AAAARecord;
import org.xbill.DNS.ARecord;
import org.xbill.DNS.CAARecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.HINFORecord;
import org.xbill.DNS.NSRecord;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.SOARecord;
import org.xbill.DNS.TXTRecord;
import org.xbill.DNS.TextParseException;
import org.xbill.DNS.Type;

/**
 * What is true of the domain: which names there are and what is to be found at them.
 *
 * <p>That a name is answered tells nothing of whether there is such a box: every name that one could have is.
 */
final class Zone {
    static final int SECONDS = 60;

    /** How long others may remember that something is not there; short, since it may come at any moment. */
    private static final int MISSING_SECONDS = 10;

    private static final int REFRESH_SECONDS = 3600;
    private static final int RETRY_SECONDS = 600;
    private static final int EXPIRE_SECONDS = 1_209_600;
    private static final int FIRST_META_TYPE = 128;
    private static final int LAST_META_TYPE = 255;

    private final Name origin;
    private final ZoneConfig config;
    private final List<Name> nameServers;
    private final SOARecord start;
    private final Challenges challenges;

    /**
     * The zone that begins to be so now.
     *
     * @param serial a number that is higher each time that a server starts
     */
    Zone(ZoneConfig config, Challenges challenges, long serial) {
        this.config = config;
        this.origin = name(config.domain());
        this.nameServers = config.nameServers().stream().map(Zone::name).toList();
        this.challenges = challenges;
        this.start = new SOARecord(
                origin,
                DClass.IN,
                MISSING_SECONDS,
                nameServers.getFirst(),
                name("hostmaster." + config.domain()),
                serial,
                REFRESH_SECONDS,
                RETRY_SECONDS,
                EXPIRE_SECONDS,
                MISSING_SECONDS);
    }

    private static Name name(String text) {
        try {
            return Name.fromString(text + ".");
        } catch (TextParseException e) {
            throw new BoxdException(
                    ErrorCode.INVALID_ARGUMENT, "'" + text + "' is no name of DNS", "Correct the configuration.", e);
        }
    }

    /** What there is of this type at this name. */
    ZoneAnswer answer(Name name, int type, int asClass) {
        if (asClass != DClass.IN || !name.subdomain(origin)) {
            return ZoneAnswer.failed(Rcode.REFUSED);
        }
        if (type >= FIRST_META_TYPE && type < LAST_META_TYPE) {
            return ZoneAnswer.failed(Rcode.REFUSED); // a transfer of the zone, or a type that is no data
        }
        Place place = place(name);
        if (place == Place.NOWHERE) {
            return ZoneAnswer.missing(Rcode.NXDOMAIN, start);
        }
        if (type == Type.ANY) {
            // All there is would be most for those who have it sent to somebody else.
            return ZoneAnswer.of(List.of(new HINFORecord(name, DClass.IN, SECONDS, "RFC8482", "")), List.of());
        }
        List<Record> found = records(place, name, type);
        if (found.isEmpty()) {
            return ZoneAnswer.missing(Rcode.NOERROR, start);
        }
        return ZoneAnswer.of(found, type == Type.NS ? glue() : List.of());
    }

    private Place place(Name name) {
        return nameServers.contains(name) ? Place.NAME_SERVER : Place.of(name, origin);
    }

    private List<Record> records(Place place, Name name, int type) {
        return switch (place) {
            case APEX -> ofApex(name, type);
            case NAME_SERVER, DOOR -> addresses(name, type);
            case CHALLENGE -> type == Type.TXT ? proofs(name) : List.of();
            case NOWHERE -> List.of();
        };
    }

    private List<Record> ofApex(Name name, int type) {
        return switch (type) {
            case Type.SOA ->
                List.of(new SOARecord(
                        name,
                        DClass.IN,
                        SECONDS,
                        start.getHost(),
                        start.getAdmin(),
                        start.getSerial(),
                        start.getRefresh(),
                        start.getRetry(),
                        start.getExpire(),
                        start.getMinimum()));
            case Type.NS ->
                nameServers.stream()
                        .<Record>map(server -> new NSRecord(name, DClass.IN, SECONDS, server))
                        .toList();
            case Type.CAA ->
                config.certifiers().stream()
                        .<Record>map(certifier -> new CAARecord(name, DClass.IN, SECONDS, 0, "issue", certifier))
                        .toList();
            default -> addresses(name, type);
        };
    }

    private List<Record> addresses(Name name, int type) {
        List<Record> records = new ArrayList<>();
        for (InetAddress door : config.doors()) {
            if (type == Type.A && door instanceof Inet4Address) {
                records.add(new ARecord(name, DClass.IN, SECONDS, door));
            } else if (type == Type.AAAA && door instanceof Inet6Address) {
                records.add(new AAAARecord(name, DClass.IN, SECONDS, door));
            }
        }
        return records;
    }

    private List<Record> proofs(Name name) {
        String host = new Name(name, 1).toString(true);
        return challenges.at(host).stream()
                .<Record>map(text -> new TXTRecord(name, DClass.IN, 0, text))
                .toList();
    }

    /** Where the name servers are, if it is for this zone to say. */
    private List<Record> glue() {
        return nameServers.stream()
                .filter(server -> server.subdomain(origin))
                .flatMap(server -> Stream.of(Type.A, Type.AAAA).flatMap(type -> addresses(server, type).stream()))
                .toList();
    }
}
