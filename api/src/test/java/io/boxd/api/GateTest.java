package io.boxd.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Who comes in: each refusal beside the one thing that makes it a pass. */
@Tag("unit")
class GateTest {
    private static final InetAddress LOCAL = InetAddress.ofLiteral("192.0.2.7");

    private final Gate gate = new Gate(ApiConfig.usual("Boxd.Example"));

    private static Gate.Request request(List<String> hosts, List<String> origins, List<String> authorizations) {
        return new Gate.Request(hosts, origins, authorizations, LOCAL);
    }

    private void assertOwn(String host, boolean own) {
        Gate.Request request = request(List.of(host), List.of(), List.of());
        if (own) {
            assertThatCode(() -> gate.requireOwn(request)).as(host).doesNotThrowAnyException();
        } else {
            assertRefused(() -> gate.requireOwn(request), ErrorCode.PERMISSION_DENIED);
        }
    }

    private static void assertRefused(Runnable passing, ErrorCode code) {
        assertThatThrownBy(passing::run)
                .isInstanceOfSatisfying(
                        BoxdException.class, e -> assertThat(e.code()).isEqualTo(code));
    }

    @Test
    void onlyTheServersOwnNames() {
        assertOwn("192.0.2.7", true);
        assertOwn("192.0.2.7:8080", true);
        assertOwn("192.0.2.8", false);
        assertOwn("boxd.example", true);
        assertOwn("API.boxd.example:1", true);
        assertOwn("box.boxd.example", false);
        assertOwn("boxd.example.evil", false);
        assertOwn("", false);
        assertOwn(":8080", false);
        assertOwn("localhost@evil", false);
        assertRefused(
                () -> gate.requireOwn(request(List.of("localhost", "localhost"), List.of(), List.of())),
                ErrorCode.PERMISSION_DENIED);
        assertRefused(() -> gate.requireOwn(request(List.of(), List.of(), List.of())), ErrorCode.PERMISSION_DENIED);
    }

    @Test
    void onlyTheServersOwnPages() {
        List<String> host = List.of("localhost:8080");
        gate.requireOwn(request(host, List.of("http://localhost:8080"), List.of()));
        for (String origin : List.of("http://localhost", "http://evil", "null", "", "http://localhost:8080.evil")) {
            assertRefused(
                    () -> gate.requireOwn(request(host, List.of(origin), List.of())), ErrorCode.PERMISSION_DENIED);
        }
    }

    @Test
    void oneTokenAndNothingThatLooksLikeOne() {
        assertThat(token("Bearer secret")).contains("secret");
        assertThat(token("bearer  secret ")).contains("secret");
        for (String said : List.of("secret", "Basic secret", "", "Bearersecret")) {
            assertThat(token(said)).as(said).isEmpty();
        }
        assertThat(Gate.token(request(List.of(), List.of(), List.of()))).isEmpty();
        assertThat(Gate.token(request(List.of(), List.of(), List.of("Bearer a", "Bearer b"))))
                .isEmpty();
    }

    private static Optional<String> token(String said) {
        return Gate.token(request(List.of(), List.of(), List.of(said)));
    }
}
