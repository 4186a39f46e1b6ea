package io.boxd.control;

import io.boxd.common.BoxdException;
import java.util.Optional;
import java.util.function.Supplier;

/** The URLs under which boxes are reached: with TLS where the domain is a real one. */
final class Urls {
    private static final int HTTP = 80;
    private static final int HTTPS = 443;

    private final String domain;
    private final Supplier<ServerFacts> facts;

    Urls(String domain, Supplier<ServerFacts> facts) {
        this.domain = domain;
        this.facts = facts;
    }

    /** Of a box; nothing while the server is being opened. */
    Optional<String> of(String box) {
        return below(box);
    }

    /** Of one port of a box. */
    Optional<String> of(String box, int port) {
        return below(port + "-" + box);
    }

    private Optional<String> below(String label) {
        ServerFacts.Ports ports;
        try {
            ports = facts.get().ports();
        } catch (BoxdException e) {
            return Optional.empty();
        }
        Integer secure = ports.https();
        if (secure == null || domain.equals("localhost") || domain.endsWith(".localhost")) {
            return Optional.of("http://" + host(label) + port(ports.http(), HTTP));
        }
        return Optional.of("https://" + host(label) + port(secure, HTTPS));
    }

    private String host(String label) {
        return label + "." + domain;
    }

    private static String port(int port, int usual) {
        return port == usual ? "" : ":" + port;
    }
}
