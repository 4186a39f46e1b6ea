package io.boxd.server;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.common.Json;
import io.boxd.linux.Durable;
import io.boxd.trust.Credentials;
import io.boxd.trust.Trust;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import javax.net.ssl.SSLContext;

/**
 * All that a process with doors needs to know of its instance, in one file.
 *
 * @param host at which control listens for doors
 * @param doors that may use it
 * @param inside what is shown to control, in PEM: key, certificate, and the authority by which control is known, too
 * @param https the same for clients
 */
record Pass(String host, int port, Set<String> doors, String inside, String https) {
    private static final String PRIVATE = "rw-------";

    static Pass make(ServerConfig config, Set<String> doors) {
        return new Pass(
                config.roles().insideBind().getHostAddress(),
                config.roles().insidePort(),
                doors,
                new InsideCertificates(config).doors(doors).pem(),
                Naming.credentials(config, InsideCertificates.VALIDITY).pem());
    }

    SSLContext insideContext() {
        return context(inside);
    }

    SSLContext httpsContext() {
        return context(https);
    }

    private static SSLContext context(String pem) {
        Credentials own = Credentials.of(pem);
        return Trust.mutual(own, own.chain().getLast());
    }

    /** Only its owner can read it. */
    void write(Path file) {
        try {
            Durable.replace(file, Json.writePretty(this).getBytes(StandardCharsets.UTF_8), PRIVATE);
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.INTERNAL, "cannot write the pass " + file + ": " + e.getMessage(), e);
        }
    }

    static Pass read(Path file) {
        try {
            return Json.read(Files.readString(file), Pass.class);
        } catch (IOException | BoxdException e) {
            throw new BoxdException(
                    ErrorCode.INVALID_ARGUMENT,
                    "cannot read the pass " + file + ": " + e.getMessage(),
                    "Make one on the host of control: boxd pass FILE --user USER, for the user who runs the doors.",
                    e);
        }
    }

    /** Neither key is for logs. */
    @Override
    public String toString() {
        return "a pass for " + doors + " to " + host + ":" + port;
    }
}
