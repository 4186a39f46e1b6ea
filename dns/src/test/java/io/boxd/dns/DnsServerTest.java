package io.boxd.dns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.xbill.DNS.Message;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

/** The door on real sockets: several questions on a connection, and clients who want to have it for themselves. */
@Tag("unit")
final class DnsServerTest {
    private static final InetAddress HERE = InetAddress.ofLiteral("127.0.0.1");
    private static final StreamLimits SHORT = new StreamLimits(6, 4, Duration.ofMillis(500), Duration.ofMillis(1500));
    private static final int PATIENCE_MILLIS = 20_000;

    private final List<AutoCloseable> opened = new ArrayList<>();
    private final DnsServer server = opened(DnsServer.open(
            new DnsConfig(InetAddress.ofLiteral("0.0.0.0"), 0, Questions.ZONE), new Challenges(), SHORT));

    private <T extends AutoCloseable> T opened(T resource) {
        opened.add(resource);
        return resource;
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable resource : opened.reversed()) {
            resource.close();
        }
    }

    private Socket connect(String from) throws IOException {
        Socket socket = opened(new Socket(HERE, server.port(), InetAddress.ofLiteral(from), 0));
        socket.setSoTimeout(PATIENCE_MILLIS);
        return socket;
    }

    private static byte[] framed(Message question) {
        byte[] wire = question.toWire();
        byte[] framed = new byte[wire.length + 2];
        framed[1] = (byte) wire.length;
        System.arraycopy(wire, 0, framed, 2, wire.length);
        return framed;
    }

    private static Message read(DataInputStream in) throws IOException {
        byte[] answer = new byte[in.readUnsignedShort()];
        in.readFully(answer);
        return Questions.parse(answer);
    }

    /** Whether the other side has ended it; waits for that. */
    private static boolean ended(Socket socket) throws IOException {
        try {
            return socket.getInputStream().read() < 0;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (SocketException e) {
            return true;
        }
    }

    @Test
    void questionsThatComeAtOnceAreAllAnswered() throws IOException {
        Socket socket = connect("127.0.0.1");
        List<Message> questions = new ArrayList<>();
        OutputStream out = socket.getOutputStream();
        for (int i = 0; i < 50; i++) {
            Message question = Questions.question("task-" + i + ".boxes.example", Type.A);
            questions.add(question);
            out.write(framed(question));
        }
        DataInputStream in = new DataInputStream(socket.getInputStream());
        for (Message question : questions) {
            Message answer = read(in);
            assertThat(answer.getHeader().getID())
                    .isEqualTo(question.getHeader().getID());
            assertThat(answer.getQuestion()).isEqualTo(question.getQuestion());
            assertThat(answer.getSection(Section.ANSWER)).hasSize(1);
        }
    }

    @Test
    void whoSendsSlowlyOrNothingOrTooMuchIsCut() throws IOException {
        Socket silent = connect("127.0.0.2");
        Socket slow = connect("127.0.0.3");
        Socket long1 = connect("127.0.0.4");
        long1.getOutputStream().write(new byte[] {(byte) 0xff, (byte) 0xff});
        slow.getOutputStream().write(new byte[] {0, 40, 1});
        assertThat(ended(long1)).isTrue();
        assertThat(ended(silent)).isTrue();
        assertThat(ended(slow)).isTrue();
    }

    @Test
    void whoTakesNoAnswersIsCut() throws IOException {
        Socket greedy = connect("127.0.0.5");
        byte[] question = framed(Questions.question("task.boxes.example", Type.A));
        Deadline deadline = Deadline.inMillis(PATIENCE_MILLIS);
        assertThatThrownBy(() -> {
                    while (!deadline.passed()) {
                        greedy.getOutputStream().write(question);
                    }
                })
                .as("answers that nobody reads end the connection")
                .isInstanceOf(SocketException.class);
    }

    @Test
    void connectionsOfOneAndOfAllHaveALimit() throws IOException {
        for (int i = 0; i < 4; i++) {
            connect("127.0.0.6");
        }
        assertThat(ended(connect("127.0.0.6"))).as("the fifth of one").isTrue();
        Socket other = connect("127.0.0.7");
        other.getOutputStream().write(framed(Questions.question("task.boxes.example", Type.A)));
        assertThat(read(new DataInputStream(other.getInputStream())).getRcode()).isZero();
    }

    @Test
    void byUdpStrangeAndLongPacketsDoNotKeepOthersFromAnswers() throws IOException {
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.connect(HERE, server.port());
            socket.setSoTimeout(PATIENCE_MILLIS);
            for (int length : new int[] {0, 1, 11, 1233, 9000}) {
                socket.send(new DatagramPacket(new byte[length], length));
            }
            byte[] question = Questions.question("task.boxes.example", Type.A).toWire();
            socket.send(new DatagramPacket(question, question.length));
            DatagramPacket answer = new DatagramPacket(new byte[1500], 1500);
            socket.receive(answer);
            assertThat(answer.getData()[1]).isEqualTo(question[1]);
        }
    }

    @Test
    void aPortThatSomebodyHasIsNamed() {
        DnsConfig taken = new DnsConfig(InetAddress.ofLiteral("0.0.0.0"), server.port(), Questions.ZONE);
        assertThatThrownBy(() -> DnsServer.open(taken, new Challenges()))
                .isInstanceOfSatisfying(BoxdException.class, e -> {
                    assertThat(e).hasMessageContaining(String.valueOf(server.port()));
                    assertThat(e.hint()).contains("BOXD_DNS_PORT");
                });
    }
}
