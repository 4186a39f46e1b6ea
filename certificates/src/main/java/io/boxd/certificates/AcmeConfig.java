package io.boxd.certificates;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The certificate authority that is asked by ACME.
 *
 * @param directory where it begins; https
 * @param contacts mail addresses to which it may write
 * @param proof for names under the domain; other names are proved by HTTP
 * @param believed a file with the certificates of authorities of which its own is; none: those of Java
 * @param external what it gave somebody who has an account there already
 */
public record AcmeConfig(
        URI directory,
        List<String> contacts,
        Proof proof,
        Optional<Path> believed,
        Optional<ExternalAccount> external) {
    public AcmeConfig {
        contacts = List.copyOf(contacts);
    }

    /** An account that was made elsewhere, to which ours is bound. */
    public record ExternalAccount(String id, String key) {
        @Override
        public String toString() {
            return "external account " + id;
        }
    }
}
