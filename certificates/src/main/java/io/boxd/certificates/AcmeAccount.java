package io.boxd.certificates;

import io.boxd.linux.Durable;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import org.shredzone.acme4j.AccountBuilder;
import org.shredzone.acme4j.Login;
import org.shredzone.acme4j.Session;
import org.shredzone.acme4j.exception.AcmeException;
import org.shredzone.acme4j.util.KeyPairUtils;

/** The key by which an authority knows this instance, made once and kept where only root reads it. */
final class AcmeAccount {
    private static final String CURVE = "secp256r1";

    private final AcmeConfig config;
    private final Path file;

    AcmeAccount(AcmeConfig config, Path file) {
        this.config = config;
        this.file = file;
    }

    /** Whoever has the key is the account: where there is none yet, the authority makes it. */
    Login login(Session session) throws AcmeException {
        AccountBuilder builder = new AccountBuilder().agreeToTermsOfService().useKeyPair(key());
        config.contacts().forEach(builder::addEmail);
        config.external().ifPresent(external -> builder.withKeyIdentifier(external.id(), external.key()));
        return builder.createLogin(session);
    }

    private KeyPair key() {
        try {
            if (Files.exists(file)) {
                return KeyPairUtils.readKeyPair(new StringReader(Files.readString(file, StandardCharsets.US_ASCII)));
            }
            KeyPair fresh = KeyPairUtils.createECKeyPair(CURVE);
            StringWriter text = new StringWriter();
            KeyPairUtils.writeKeyPair(fresh, text);
            Durable.replace(file, text.toString().getBytes(StandardCharsets.US_ASCII), "rw-------");
            return fresh;
        } catch (IOException e) {
            throw Durable.failure("the key of the ACME account in " + file + " cannot be used", e);
        }
    }

    static KeyPair newKey() {
        return KeyPairUtils.createECKeyPair(CURVE);
    }
}
