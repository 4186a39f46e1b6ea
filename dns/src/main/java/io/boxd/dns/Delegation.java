package io.boxd.dns;

import io.boxd.common.Deadline;
import java.io.IOException;
import java.net.InetAddress;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.xbill.DNS.AAAARecord;
import org.xbill.DNS.ARecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.ExtendedResolver;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Resolver;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

/** Whether others who ask for names of the domain are led here. */
public final class Delegation {
    private static final int LABEL_BYTES = 8;

    private Delegation() {}

    /**
     * Why they are not; nothing if they are. Asks this host's resolvers for a name that nobody can have asked for
     * before, since ours answers all of them.
     */
    public static Optional<String> obstacle(String domain, List<InetAddress> doors, Deadline deadline) {
        return obstacle(new ExtendedResolver(), domain, doors, deadline);
    }

    static Optional<String> obstacle(Resolver resolver, String domain, List<InetAddress> doors, Deadline deadline) {
        byte[] label = new byte[LABEL_BYTES];
        new SecureRandom().nextBytes(label);
        String name = "doctor-" + HexFormat.of().formatHex(label) + "." + domain;
        int type = doors.getFirst().getAddress().length == 4 ? Type.A : Type.AAAA;
        try {
            resolver.setTimeout(deadline.left());
            Message answer =
                    resolver.send(Message.newQuery(Record.newRecord(Name.fromString(name + "."), type, DClass.IN)));
            if (answer.getRcode() != Rcode.NOERROR) {
                return Optional.of("names under " + domain + " are answered with " + Rcode.string(answer.getRcode()));
            }
            Set<InetAddress> found = answer.getSection(Section.ANSWER).stream()
                    .flatMap(record -> address(record).stream())
                    .collect(Collectors.toSet());
            return found.stream().anyMatch(doors::contains)
                    ? Optional.empty()
                    : Optional.of("names under " + domain + " lead to " + (found.isEmpty() ? "nowhere" : shown(found)));
        } catch (IOException e) {
            return Optional.of("this host's resolvers do not answer: " + e.getMessage());
        }
    }

    private static String shown(Set<InetAddress> addresses) {
        return addresses.stream().map(InetAddress::getHostAddress).sorted().collect(Collectors.joining(", "));
    }

    private static Optional<InetAddress> address(Record record) {
        return switch (record) {
            case ARecord four -> Optional.of(four.getAddress());
            case AAAARecord six -> Optional.of(six.getAddress());
            default -> Optional.empty();
        };
    }
}
