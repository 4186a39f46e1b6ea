package io.boxd.ssh;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.List;
import org.apache.sshd.common.config.keys.KeyUtils;
import org.apache.sshd.common.keyprovider.KeyPairProvider;
import org.apache.sshd.server.SshServer;

/** A server of the same library with nothing set: what the doors would be without their own limits. */
final class TestingPlainServer implements AutoCloseable {
    private final SshServer server = SshServer.setUpDefaultServer();

    TestingPlainServer() {
        try {
            server.setHost("127.0.0.1");
            server.setPort(0);
            server.setKeyPairProvider(KeyPairProvider.wrap(KeyUtils.generateKeyPair(KeyPairProvider.SSH_ED25519, 256)));
            server.setPublickeyAuthenticator((_, _, _) -> true);
            server.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    int port() {
        return server.getPort();
    }

    int connections() {
        return server.getActiveSessions().size();
    }

    List<String> client(Path key, String... options) {
        List<String> words = new ArrayList<>(List.of("ssh", "-F", "none", "-p", String.valueOf(port())));
        words.addAll(List.of("-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null"));
        words.addAll(List.of("-o", "IdentityAgent=none", "-o", "BatchMode=yes", "-i", key.toString()));
        words.addAll(List.of(options));
        words.addAll(List.of("any@127.0.0.1", "true"));
        return words;
    }

    @Override
    public void close() {
        try {
            server.stop(true);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
