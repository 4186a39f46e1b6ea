package io.boxd.trust;

import io.boxd.linux.Durable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.spec.ECGenParameterSpec;

/** Pairs of keys of the kind that every client of TLS understands. */
public final class Keys {
    private Keys() {}

    public static KeyPair fresh() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new AssertionError("every Java has this curve", e);
        }
    }

    /** The pair in this file that only its owner reads, made the first time. */
    public static KeyPair kept(Path file) {
        if (Files.exists(file)) {
            return new KeyPair(Pem.publicKey(file), Pem.key(file));
        }
        KeyPair fresh = fresh();
        String text = Pem.of(fresh.getPrivate()) + Pem.of(fresh.getPublic());
        try {
            Durable.replace(file, text.getBytes(StandardCharsets.US_ASCII), "rw-------");
        } catch (IOException e) {
            throw Durable.failure("a key could not be kept in " + file, e);
        }
        return fresh;
    }
}
