package io.boxd.dns;

import java.io.IOException;
import java.util.Optional;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Header;
import org.xbill.DNS.Message;
import org.xbill.DNS.OPTRecord;
import org.xbill.DNS.Opcode;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

/**
 * Turns the bytes of a question into those of its answer, whatever the bytes are.
 *
 * <p>No answer is much longer than its question, unless somebody has said by TCP who they are.
 */
final class Responder {
    /** Room for a question of any length and an option or two. */
    static final int LONGEST_QUERY = 1232;

    /** Fits into one packet on every path. */
    private static final int LONGEST_DATAGRAM = 1232;

    private static final int SHORTEST_DATAGRAM = 512;
    private static final int LONGEST_MESSAGE = 65_535;
    private static final int HEAD_BYTES = 12;
    private static final int FLAGS_AT = 2;
    private static final int COUNTS_AT = 4;
    private static final int OPCODE_SHIFT = 3;
    private static final int OPCODE_MASK = 0xf;
    private static final int QUERY_FLAG = 0x80;
    private static final int RECURSION_DESIRED = 0x01;

    private final Zone zone;

    Responder(Zone zone) {
        this.zone = zone;
    }

    /** The answer; none to what is no question at all, so that two servers never answer each other. */
    Optional<byte[]> answer(byte[] query, Transport transport) {
        if (!isQuery(query)) {
            return Optional.empty();
        }
        if (((query[FLAGS_AT] >> OPCODE_SHIFT) & OPCODE_MASK) != Opcode.QUERY) {
            return Optional.of(bareError(query, Rcode.NOTIMP));
        }
        return Optional.of(parse(query)
                .map(question -> answer(question).toWire(limit(question, transport)))
                .orElseGet(() -> bareError(query, Rcode.FORMERR)));
    }

    /**
     * An answer that says only: ask again by TCP. For those to whom too much is sent: who forges addresses cannot do
     * that, and all others can.
     */
    Optional<byte[]> comeByTcp(byte[] query) {
        if (!isQuery(query)) {
            return Optional.empty();
        }
        return parse(query).map(question -> {
            Message answer = message(question, ZoneAnswer.failed(Rcode.NOERROR));
            answer.getHeader().setFlag(Flags.TC);
            return answer.toWire(SHORTEST_DATAGRAM);
        });
    }

    private static boolean isQuery(byte[] bytes) {
        return bytes.length >= HEAD_BYTES && (bytes[FLAGS_AT] & QUERY_FLAG) == 0;
    }

    private static Optional<Message> parse(byte[] query) {
        boolean oneQuestion = count(query, 0) == 1 && count(query, 1) == 0 && count(query, 2) == 0;
        if (!oneQuestion || count(query, 3) > 1) {
            return Optional.empty();
        }
        try {
            Message message = new Message(query);
            boolean whole = message.getQuestion() != null
                    && message.getQuestion().getType() != 0
                    && message.getSection(Section.ADDITIONAL).size() == count(query, 3)
                    && message.getSection(Section.ADDITIONAL).stream().allMatch(Responder::isOption);
            return whole ? Optional.of(message) : Optional.empty();
        } catch (IOException | IllegalArgumentException _) {
            return Optional.empty();
        }
    }

    private static boolean isOption(Record record) {
        return record instanceof OPTRecord option && option.getName().labels() == 1;
    }

    /** The number of records of a section that the head tells of. */
    private static int count(byte[] query, int section) {
        int at = COUNTS_AT + 2 * section;
        return ((query[at] & 0xff) << 8) | (query[at + 1] & 0xff);
    }

    private Message answer(Message query) {
        Record question = query.getQuestion();
        OPTRecord option = query.getOPT();
        if (option != null && option.getVersion() != 0) {
            return message(query, ZoneAnswer.failed(Rcode.BADVERS));
        }
        if (question.getType() == Type.OPT) {
            return message(query, ZoneAnswer.failed(Rcode.FORMERR));
        }
        return message(query, zone.answer(question.getName(), question.getType(), question.getDClass()));
    }

    private static Message message(Message query, ZoneAnswer said) {
        Header head = new Header(query.getHeader().getID());
        head.setFlag(Flags.QR);
        if (said.authoritative()) {
            head.setFlag(Flags.AA);
        }
        if (query.getHeader().getFlag(Flags.RD)) {
            head.setFlag(Flags.RD);
        }
        head.setRcode(said.code() & OPCODE_MASK);
        Message message = new Message();
        message.setHeader(head);
        message.addRecord(query.getQuestion(), Section.QUESTION);
        said.answers().forEach(record -> message.addRecord(record, Section.ANSWER));
        said.authority().forEach(record -> message.addRecord(record, Section.AUTHORITY));
        said.glue().forEach(record -> message.addRecord(record, Section.ADDITIONAL));
        OPTRecord option = query.getOPT();
        if (option != null) {
            int flags = option.getFlags() & 0x8000; // whether signatures are wanted; there are none
            message.addRecord(new OPTRecord(LONGEST_DATAGRAM, said.code() >> 4, 0, flags), Section.ADDITIONAL);
        }
        return message;
    }

    private static int limit(Message query, Transport transport) {
        return switch (transport) {
            case TCP -> LONGEST_MESSAGE;
            case UDP -> {
                OPTRecord option = query.getOPT();
                yield option == null
                        ? SHORTEST_DATAGRAM
                        : Math.clamp(option.getPayloadSize(), SHORTEST_DATAGRAM, LONGEST_DATAGRAM);
            }
        };
    }

    /** Only the head: what the rest of the question says was not understood. */
    private static byte[] bareError(byte[] query, int code) {
        byte[] answer = new byte[HEAD_BYTES];
        answer[0] = query[0];
        answer[1] = query[1];
        answer[FLAGS_AT] =
                (byte) (QUERY_FLAG | (query[FLAGS_AT] & ((OPCODE_MASK << OPCODE_SHIFT) | RECURSION_DESIRED)));
        answer[FLAGS_AT + 1] = (byte) code;
        return answer;
    }
}
