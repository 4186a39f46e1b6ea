package io.boxd.dns;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.util.List;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.OPTRecord;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.TextParseException;

/** A zone to ask, and questions to ask it. */
final class Questions {
    static final ZoneConfig ZONE = new ZoneConfig(
            "boxes.example",
            List.of(InetAddress.ofLiteral("192.0.2.7"), InetAddress.ofLiteral("2001:db8::7")),
            List.of("ns1.boxes.example", "ns.elsewhere.example"),
            List.of("ca.example"));

    private Questions() {}

    static Responder responder(Challenges challenges) {
        return new Responder(new Zone(ZONE, challenges, 20));
    }

    static Message question(String name, int type) {
        return question(name, type, DClass.IN);
    }

    static Message question(String name, int type, int asClass) {
        try {
            return Message.newQuery(Record.newRecord(Name.fromString(name + "."), type, asClass));
        } catch (TextParseException e) {
            throw new IllegalArgumentException(e);
        }
    }

    static Message extended(Message question, int payload, int version) {
        question.addRecord(new OPTRecord(payload, 0, version), Section.ADDITIONAL);
        return question;
    }

    static Message parse(byte[] answer) {
        try {
            return new Message(answer);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
