package io.boxd.certificates;

import io.boxd.trust.Keys;
import java.nio.file.Path;
import org.shredzone.acme4j.AccountBuilder;
import org.shredzone.acme4j.Login;
import org.shredzone.acme4j.Session;
import org.shredzone.acme4j.exception.AcmeException;

/**
 * By what an authority knows this instance.
 *
 * @param file with the key, made once
 */
record AcmeAccount(AcmeConfig config, Path file) {
    /** Whoever has the key is the account: where there is none yet, the authority makes it. */
    Login login(Session session) throws AcmeException {
        AccountBuilder builder = new AccountBuilder().agreeToTermsOfService().useKeyPair(Keys.kept(file));
        config.contacts().forEach(builder::addEmail);
        config.external().ifPresent(external -> builder.withKeyIdentifier(external.id(), external.key()));
        return builder.createLogin(session);
    }
}
