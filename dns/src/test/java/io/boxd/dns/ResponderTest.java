package io.boxd.dns;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Flags;
import org.xbill.DNS.HINFORecord;
import org.xbill.DNS.Message;
import org.xbill.DNS.Opcode;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.SOARecord;
import org.xbill.DNS.Section;
import org.xbill.DNS.TXTRecord;
import org.xbill.DNS.Type;

/** What is answered to which question, in all parts of the answer. */
@Tag("unit")
final class ResponderTest {
    private final Challenges challenges = new Challenges();
    private final Responder responder = Questions.responder(challenges);

    private Message ask(String name, int type) {
        return ask(Questions.question(name, type), Transport.UDP);
    }

    private Message ask(Message question, Transport transport) {
        byte[] answer = responder.answer(question.toWire(), transport).orElseThrow();
        Message parsed = Questions.parse(answer);
        assertThat(parsed.getHeader().getID()).isEqualTo(question.getHeader().getID());
        assertThat(parsed.getHeader().getFlag(Flags.QR)).isTrue();
        assertThat(parsed.getHeader().getFlag(Flags.RA)).as("no recursion").isFalse();
        return parsed;
    }

    private static List<String> data(Message answer, int section) {
        return answer.getSection(section).stream().map(Record::rdataToString).toList();
    }

    private static void assertMissing(Message answer, int code) {
        assertThat(answer.getRcode()).isEqualTo(code);
        assertThat(answer.getHeader().getFlag(Flags.AA)).isTrue();
        assertThat(answer.getSection(Section.ANSWER)).isEmpty();
        assertThat(answer.getSection(Section.AUTHORITY)).singleElement().satisfies(record -> {
            assertThat(record).isInstanceOf(SOARecord.class);
            assertThat(record.getName()).hasToString("boxes.example.");
            assertThat(record.getTTL()).isEqualTo(((SOARecord) record).getMinimum());
        });
    }

    @Test
    void everyNameThatABoxCouldHaveLeadsToTheDoors() {
        for (String name : List.of("task-1", "3000-task-1", "api.task-1", "www", "boxd", "ns2", "x".repeat(63))) {
            Message answer = ask(name + ".boxes.example", Type.A);
            assertThat(answer.getRcode()).as(name).isEqualTo(Rcode.NOERROR);
            assertThat(answer.getHeader().getFlag(Flags.AA)).isTrue();
            assertThat(data(answer, Section.ANSWER)).containsExactly("192.0.2.7");
            assertThat(answer.getSection(Section.ANSWER).getFirst().getTTL()).isEqualTo(60);
            assertThat(data(ask(name + ".boxes.example", Type.AAAA), Section.ANSWER))
                    .containsExactly("2001:db8:0:0:0:0:0:7");
            assertMissing(ask(name + ".boxes.example", Type.MX), Rcode.NOERROR);
        }
    }

    @Test
    void theDomainItselfHasWhatADomainNeeds() {
        assertThat(data(ask("boxes.example", Type.A), Section.ANSWER)).containsExactly("192.0.2.7");
        Message servers = ask("boxes.example", Type.NS);
        assertThat(data(servers, Section.ANSWER)).containsExactly("ns1.boxes.example.", "ns.elsewhere.example.");
        assertThat(data(servers, Section.ADDITIONAL)).containsExactly("192.0.2.7", "2001:db8:0:0:0:0:0:7");
        assertThat(data(ask("boxes.example", Type.CAA), Section.ANSWER)).containsExactly("0 issue \"ca.example\"");
        assertThat(data(ask("boxes.example", Type.SOA), Section.ANSWER))
                .containsExactly("ns1.boxes.example. hostmaster.boxes.example. 20 3600 600 1209600 10");
        assertThat(data(ask("ns1.boxes.example", Type.A), Section.ANSWER)).containsExactly("192.0.2.7");
        assertMissing(ask("boxes.example", Type.DS), Rcode.NOERROR);
    }

    @Test
    void whatNoBoxCouldBeCalledIsNotThere() {
        for (String name : List.of("a.b.c", "_sip.task-1", "-x", "x-", "x_y", "*", "_acme-challenge.a.b.c", "\\000")) {
            assertMissing(ask(name + ".boxes.example", Type.A), Rcode.NXDOMAIN);
            assertMissing(ask(name + ".boxes.example", Type.ANY), Rcode.NXDOMAIN);
        }
    }

    @Test
    void otherZonesAreRefusedAndSoAreTransfers() {
        for (Message question : List.of(
                Questions.question("example.org", Type.A),
                Questions.question("example", Type.NS),
                Questions.question("xboxes.example", Type.A),
                Questions.question("ns.elsewhere.example", Type.A),
                Questions.question("", Type.NS),
                Questions.question("version.bind", Type.TXT, DClass.CH),
                Questions.question("boxes.example", Type.A, DClass.ANY),
                Questions.question("boxes.example", Type.AXFR),
                Questions.question("boxes.example", Type.IXFR))) {
            for (Transport transport : Transport.values()) {
                Message answer = ask(question, transport);
                assertThat(answer.getRcode()).as("%s", question).isEqualTo(Rcode.REFUSED);
                assertThat(answer.getHeader().getFlag(Flags.AA)).isFalse();
                assertThat(answer.getQuestion()).isEqualTo(question.getQuestion());
                assertThat(data(answer, Section.ANSWER)).isEmpty();
            }
        }
    }

    @Test
    void allOfANameIsOneShortRecord() {
        for (String name : List.of("boxes.example", "task.boxes.example")) {
            assertThat(ask(name, Type.ANY).getSection(Section.ANSWER))
                    .singleElement()
                    .isInstanceOfSatisfying(
                            HINFORecord.class,
                            record -> assertThat(record.getCPU()).isEqualTo("RFC8482"));
        }
    }

    @Test
    void theLettersOfTheQuestionAreKept() {
        byte[] question = Questions.question("TaSk.BoXeS.eXaMpLe", Type.A).toWire();
        byte[] answer = responder.answer(question, Transport.UDP).orElseThrow();
        assertThat(Arrays.copyOfRange(answer, 12, question.length))
                .isEqualTo(Arrays.copyOfRange(question, 12, question.length));
        assertThat(Questions.parse(answer).getSection(Section.ANSWER).getFirst().getName())
                .hasToString("TaSk.BoXeS.eXaMpLe.");
    }

    @Test
    void proofsAreShownAtOnceAndGoneAtOnce() {
        assertMissing(ask("_acme-challenge.boxes.example", Type.TXT), Rcode.NOERROR);
        challenges.show("Boxes.Example", "one");
        challenges.show("boxes.example", "two");
        challenges.show("boxes.example", "two");
        challenges.show("task.boxes.example", "three");
        assertThat(data(ask("_ACME-Challenge.boxes.example", Type.TXT), Section.ANSWER))
                .containsExactlyInAnyOrder("one", "two");
        assertThat(data(ask("_acme-challenge.task.boxes.example", Type.TXT), Section.ANSWER))
                .containsExactly("three");
        assertMissing(ask("_acme-challenge.boxes.example", Type.A), Rcode.NOERROR);
        challenges.remove("boxes.example", "one");
        assertThat(data(ask("_acme-challenge.boxes.example", Type.TXT), Section.ANSWER))
                .containsExactly("two");
        challenges.remove("boxes.example", "two");
        assertMissing(ask("_acme-challenge.boxes.example", Type.TXT), Rcode.NOERROR);
    }

    @Test
    void anAnswerThatIsTooLongForUdpSaysSo() {
        for (int i = 0; i < 16; i++) {
            challenges.show("boxes.example", "text number %03d ".formatted(i).repeat(10));
        }
        Message plain = Questions.question("_acme-challenge.boxes.example", Type.TXT);
        assertTruncated(plain, 512);
        assertTruncated(Questions.extended(plain.clone(), 100, 0), 512);
        assertTruncated(Questions.extended(plain.clone(), 1000, 0), 1000);
        assertTruncated(Questions.extended(plain.clone(), 65_535, 0), 1232);
        Message whole = ask(plain, Transport.TCP);
        assertThat(whole.getHeader().getFlag(Flags.TC)).isFalse();
        assertThat(whole.getSection(Section.ANSWER)).hasSize(16).hasOnlyElementsOfType(TXTRecord.class);
    }

    private void assertTruncated(Message question, int most) {
        byte[] answer = responder.answer(question.toWire(), Transport.UDP).orElseThrow();
        assertThat(answer).hasSizeLessThanOrEqualTo(most);
        Message parsed = Questions.parse(answer);
        assertThat(parsed.getHeader().getFlag(Flags.TC)).isTrue();
        assertThat(parsed.getOPT() != null).isEqualTo(question.getOPT() != null);
    }

    @Test
    void extensionsAreAnsweredInKind() {
        Message known = ask(Questions.extended(Questions.question("a.boxes.example", Type.A), 4096, 0), Transport.UDP);
        assertThat(known.getOPT().getPayloadSize()).isEqualTo(1232);
        assertThat(known.getOPT().getVersion()).isZero();
        assertThat(ask("a.boxes.example", Type.A).getOPT()).isNull();
        Message newer = ask(Questions.extended(Questions.question("a.boxes.example", Type.A), 4096, 1), Transport.UDP);
        assertThat(newer.getRcode()).isEqualTo(Rcode.BADVERS);
        assertThat(newer.getOPT().getVersion()).isZero();
        assertThat(newer.getSection(Section.ANSWER)).isEmpty();
        Message twice = Questions.extended(Questions.question("a.boxes.example", Type.A), 4096, 0);
        assertThat(code(Questions.extended(twice, 4096, 0).toWire())).isEqualTo(Rcode.FORMERR);
    }

    private int code(byte[] question) {
        return responder.answer(question, Transport.UDP).orElseThrow()[3] & 0xf;
    }

    @Test
    void otherThanQuestionsAreNotAnsweredOrTold() {
        Message question = Questions.question("a.boxes.example", Type.A);
        byte[] wire = question.toWire();
        question.getHeader().setFlag(Flags.QR);
        assertThat(responder.answer(question.toWire(), Transport.UDP)).isEmpty();
        assertThat(responder.comeByTcp(question.toWire())).isEmpty();
        assertThat(responder.answer(new byte[11], Transport.UDP)).isEmpty();
        assertThat(code(changed(wire, 5, 0))).as("no question").isEqualTo(Rcode.FORMERR);
        assertThat(code(changed(wire, 5, 2))).as("two questions").isEqualTo(Rcode.FORMERR);
        assertThat(code(changed(wire, 6, 255))).as("65280 answers").isEqualTo(Rcode.FORMERR);
        assertThat(code(changed(wire, 11, 1)))
                .as("an addition that is not there")
                .isEqualTo(Rcode.FORMERR);
        assertThat(code(changed(wire, 12, 200)))
                .as("a name that points to itself")
                .isEqualTo(Rcode.FORMERR);
        assertThat(code(changed(wire, 2, Opcode.UPDATE << 3))).isEqualTo(Rcode.NOTIMP);
        assertThat(code(changed(wire, 2, Opcode.NOTIFY << 3))).isEqualTo(Rcode.NOTIMP);
        assertThat(code(Arrays.copyOf(wire, wire.length - 3))).isEqualTo(Rcode.FORMERR);
    }

    private static byte[] changed(byte[] wire, int at, int value) {
        byte[] copy = wire.clone();
        copy[at] = (byte) value;
        return copy;
    }

    @Test
    void nothingTellsWhichBoxesThereAre() {
        assertThat(differences(responder)).containsExactly("always the same");
    }

    /** The red control: one that knows its boxes and says of others that they are not there. */
    @Test
    void thatIsNoticedInAZoneThatKnowsItsBoxes() {
        Set<String> seen = differences(
                question -> question.getQuestion().getName().toString().startsWith("secret")
                        ? ask(question, Transport.UDP)
                        : ask(
                                Questions.question(
                                        "-.boxes.example",
                                        question.getQuestion().getType()),
                                Transport.UDP));
        assertThat(seen).hasSizeGreaterThan(1);
    }

    private Set<String> differences(Responder of) {
        return differences(question ->
                Questions.parse(of.answer(question.toWire(), Transport.UDP).orElseThrow()));
    }

    /** What can be told apart of a name that there is and others that there are not, in all their answers. */
    private static Set<String> differences(UnaryOperator<Message> asked) {
        Set<String> seen = new HashSet<>();
        for (int type : List.of(Type.A, Type.AAAA, Type.TXT, Type.MX, Type.ANY, Type.CAA, Type.HTTPS)) {
            Set<String> answers = new HashSet<>();
            Stream.of("secret", "nobody").forEach(name -> {
                Message answer = asked.apply(Questions.question(name + ".boxes.example", type));
                answers.add(answer.getRcode() + " " + data(answer, Section.ANSWER) + data(answer, Section.AUTHORITY));
            });
            seen.add(
                    answers.size() == 1
                            ? "always the same"
                            : String.join("|", answers).toLowerCase(Locale.ROOT));
        }
        return seen;
    }
}
