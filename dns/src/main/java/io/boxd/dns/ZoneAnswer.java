package io.boxd.dns;

import java.util.List;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;

/** What the zone has to say to a question. */
record ZoneAnswer(int code, boolean authoritative, List<Record> answers, List<Record> authority, List<Record> glue) {
    ZoneAnswer {
        answers = List.copyOf(answers);
        authority = List.copyOf(authority);
        glue = List.copyOf(glue);
    }

    static ZoneAnswer of(List<Record> answers, List<Record> glue) {
        return new ZoneAnswer(Rcode.NOERROR, true, answers, List.of(), glue);
    }

    /** Not there; the record in the authority section says for how long that may be remembered. */
    static ZoneAnswer missing(int code, Record start) {
        return new ZoneAnswer(code, true, List.of(), List.of(start), List.of());
    }

    /** Only that something is wrong. */
    static ZoneAnswer failed(int code) {
        return new ZoneAnswer(code, false, List.of(), List.of(), List.of());
    }
}
