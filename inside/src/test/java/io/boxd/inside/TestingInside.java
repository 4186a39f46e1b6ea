package io.boxd.inside;

import io.boxd.control.Control;
import io.boxd.trust.Authority;
import io.boxd.trust.Credentials;
import io.boxd.trust.Subject;
import io.boxd.trust.Trust;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import javax.net.ssl.SSLContext;

/** The real way to control, which can end and begin again at the same port; and doors with passes. */
final class TestingInside implements AutoCloseable {
    private static final Duration A_DAY = Duration.ofDays(1);

    private final Authority authority;
    private final Control control;
    private final int port;
    private InsideServer server;

    TestingInside(Path home, Control control) {
        this.authority = Authority.open(home.resolve("inside"), "inside", List.of());
        this.control = control;
        this.server = listen(0);
        this.port = server.port();
    }

    private InsideServer listen(int port) {
        InetAddress here = InetAddress.getLoopbackAddress();
        SSLContext context = Trust.mutual(
                authority.issue(new Subject("control", List.of(), List.of(here), A_DAY)), authority.certificate());
        return InsideServer.open(new InetSocketAddress(here, port), context, control, Optional::empty);
    }

    Authority authority() {
        return authority;
    }

    int port() {
        return port;
    }

    Credentials pass(Set<String> doors) {
        return authority.issue(Subject.named(InsideServer.nameOf(doors), A_DAY));
    }

    /** A door with a pass. */
    RemoteControl door(Set<String> doors) {
        return door(Trust.mutual(pass(doors), authority.certificate()));
    }

    RemoteControl door(SSLContext context) {
        return new RemoteControl(InetAddress.getLoopbackAddress().getHostAddress(), port(), context);
    }

    void end() {
        server.close();
    }

    /** Once more, where it was. */
    void begin() {
        server = listen(port);
    }

    @Override
    public void close() {
        server.close();
    }
}
