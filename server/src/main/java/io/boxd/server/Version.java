package io.boxd.server;

import java.util.Optional;

/** Which boxd this is. */
final class Version {
    private Version() {}

    static String text() {
        return Optional.ofNullable(Server.class.getPackage().getImplementationVersion())
                .orElse("0.1.0-SNAPSHOT");
    }
}
