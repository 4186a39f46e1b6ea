package io.boxd.login;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jose4j.jwa.AlgorithmConstraints;
import org.jose4j.jwk.JsonWebKey;
import org.jose4j.jwk.JsonWebKeySet;
import org.jose4j.jwk.RsaJsonWebKey;
import org.jose4j.jwk.RsaJwkGenerator;
import org.jose4j.jws.AlgorithmIdentifiers;
import org.jose4j.jws.JsonWebSignature;
import org.jose4j.jwt.JwtClaims;
import org.jose4j.jwt.NumericDate;
import org.jose4j.jwt.consumer.JwtConsumer;
import org.jose4j.jwt.consumer.JwtConsumerBuilder;
import org.jose4j.keys.HmacKey;
import org.jose4j.lang.JoseException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tokens as attackers would make them. */
@Tag("unit")
final class IdTokensTest {
    private static final String ISSUER = "https://id.example";
    private static final String CLIENT = "boxd";
    private static final String NONCE = "n-1";

    private final RsaJsonWebKey key = rsa("k1");
    private final RsaJsonWebKey strange = rsa("k1");
    private int fetched;

    private static RsaJsonWebKey rsa(String id) {
        try {
            RsaJsonWebKey key = RsaJwkGenerator.generateJwk(2048);
            key.setKeyId(id);
            return key;
        } catch (JoseException e) {
            throw new IllegalStateException(e);
        }
    }

    private final class Fetched implements IdTokens.Keys {
        private final String before;
        private final String after;

        Fetched(String before, String after) {
            this.before = before;
            this.after = after;
        }

        @Override
        public String known() {
            return before;
        }

        @Override
        public String again() {
            fetched++;
            return after;
        }
    }

    private static String set(RsaJsonWebKey... keys) {
        return new JsonWebKeySet(keys).toJson(JsonWebKey.OutputControlLevel.PUBLIC_ONLY);
    }

    private IdTokens tokens() {
        return new IdTokens(ISSUER, CLIENT, new Fetched(set(key), set(key)));
    }

    private static JwtClaims claims() {
        JwtClaims claims = new JwtClaims();
        claims.setIssuer(ISSUER);
        claims.setAudience(CLIENT);
        claims.setSubject("alice");
        claims.setIssuedAtToNow();
        claims.setExpirationTimeMinutesInTheFuture(5);
        claims.setStringClaim("nonce", NONCE);
        claims.setStringClaim("email", "alice@example.org");
        claims.setClaim("email_verified", true);
        return claims;
    }

    private static String signed(JwtClaims claims, RsaJsonWebKey by) {
        try {
            JsonWebSignature signature = new JsonWebSignature();
            signature.setPayload(claims.toJson());
            signature.setKey(by.getPrivateKey());
            signature.setKeyIdHeaderValue(by.getKeyId());
            signature.setAlgorithmHeaderValue(AlgorithmIdentifiers.RSA_USING_SHA256);
            return signature.getCompactSerialization();
        } catch (JoseException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String unsigned(JwtClaims claims) throws JoseException {
        JsonWebSignature signature = new JsonWebSignature();
        signature.setAlgorithmConstraints(AlgorithmConstraints.NO_CONSTRAINTS);
        signature.setPayload(claims.toJson());
        signature.setAlgorithmHeaderValue(AlgorithmIdentifiers.NONE);
        return signature.getCompactSerialization();
    }

    /** Signed with what everybody knows, in the hope that it is taken for a shared secret. */
    private String signedWithThePublicKey(JwtClaims claims) throws JoseException {
        JsonWebSignature signature = new JsonWebSignature();
        signature.setPayload(claims.toJson());
        signature.setKey(new HmacKey(key.getPublicKey().getEncoded()));
        signature.setKeyIdHeaderValue("k1");
        signature.setAlgorithmHeaderValue(AlgorithmIdentifiers.HMAC_SHA256);
        return signature.getCompactSerialization();
    }

    private Map<String, String> attacks() throws JoseException {
        JwtClaims otherAudience = claims();
        otherAudience.setAudience("somebody-else");
        JwtClaims manyAudiences = claims();
        manyAudiences.setAudience(CLIENT, "somebody-else");
        JwtClaims otherParty = claims();
        otherParty.setStringClaim("azp", "somebody-else");
        JwtClaims expired = claims();
        expired.setExpirationTime(NumericDate.fromSeconds(NumericDate.now().getValue() - 120));
        JwtClaims endless = claims();
        endless.unsetClaim("exp");
        JwtClaims otherIssuer = claims();
        otherIssuer.setIssuer("https://evil.example");
        JwtClaims otherLogin = claims();
        otherLogin.setStringClaim("nonce", "n-2");
        JwtClaims nobody = claims();
        nobody.unsetClaim("sub");
        String good = signed(claims(), key);
        String[] parts = good.split("\\.", -1);
        String[] evil = signed(claimsOf("mallory"), strange).split("\\.", -1);
        return Map.ofEntries(
                Map.entry("another audience", signed(otherAudience, key)),
                Map.entry("several audiences, nobody named", signed(manyAudiences, key)),
                Map.entry("another party", signed(otherParty, key)),
                Map.entry("expired", signed(expired, key)),
                Map.entry("no end", signed(endless, key)),
                Map.entry("another issuer", signed(otherIssuer, key)),
                Map.entry("another issuer's key under the same name", signed(claims(), strange)),
                Map.entry("another login", signed(otherLogin, key)),
                Map.entry("about nobody", signed(nobody, key)),
                Map.entry("not signed", unsigned(claims())),
                Map.entry("signed with the public key", signedWithThePublicKey(claims())),
                Map.entry("the signature of another token", parts[0] + "." + evil[1] + "." + parts[2]),
                Map.entry("the signature left out", parts[0] + "." + parts[1] + "."));
    }

    private static JwtClaims claimsOf(String subject) {
        JwtClaims claims = claims();
        claims.setSubject(subject);
        return claims;
    }

    @Test
    void whatTheIssuerHasSignedForThisLoginIsBelieved() {
        Person alice = tokens().verify(signed(claims(), key), NONCE);
        assertThat(alice.subject()).isEqualTo("alice");
        assertThat(alice.email()).contains("alice@example.org");
        JwtClaims unverified = claims();
        unverified.setClaim("email_verified", "true");
        assertThat(tokens().verify(signed(unverified, key), NONCE).email()).isEmpty();
        JwtClaims named = claims();
        named.setAudience(CLIENT, "somebody-else");
        named.setStringClaim("azp", CLIENT);
        assertThat(tokens().verify(signed(named, key), NONCE).subject()).isEqualTo("alice");
    }

    @Test
    void everythingElseIsRefused() throws JoseException {
        for (Map.Entry<String, String> attack : attacks().entrySet()) {
            assertThatThrownBy(() -> tokens().verify(attack.getValue(), NONCE))
                    .as(attack.getKey())
                    .isInstanceOfSatisfying(BoxdException.class, e -> {
                        assertThat(e.code()).isEqualTo(ErrorCode.UNAUTHENTICATED);
                        assertThat(e.getMessage()).doesNotContain(attack.getValue());
                    });
        }
    }

    /** Red control: whoever reads tokens without checking them is taken in by every one of these. */
    @Test
    void withoutTheChecksEachWouldBeBelieved() throws JoseException {
        JwtConsumer trusting = new JwtConsumerBuilder()
                .setSkipAllValidators()
                .setSkipSignatureVerification()
                .setDisableRequireSignature()
                .setJwsAlgorithmConstraints(AlgorithmConstraints.NO_CONSTRAINTS)
                .build();
        List<String> all = new ArrayList<>(attacks().values());
        for (String token : all) {
            assertThatCode(() -> trusting.processToClaims(token)).doesNotThrowAnyException();
        }
    }

    @Test
    void aKeyThatIsNotKnownIsFetchedOnceAndNotForTokensThatAreWrongAnyway() throws JoseException {
        RsaJsonWebKey next = rsa("k2");
        IdTokens rotated = new IdTokens(ISSUER, CLIENT, new Fetched(set(key), set(key, next)));
        assertThat(rotated.verify(signed(claims(), next), NONCE).subject()).isEqualTo("alice");
        assertThat(fetched).isEqualTo(1);
        JwtClaims expired = claims();
        expired.setExpirationTime(NumericDate.fromSeconds(NumericDate.now().getValue() - 120));
        assertThatThrownBy(() -> rotated.verify(signed(expired, key), NONCE)).hasMessageContaining("expired");
        assertThat(fetched).isEqualTo(1);
    }

    @Test
    void garbageIsRefused() {
        for (String token : List.of("", ".", "..", "a.b.c", "x".repeat(100_000), "e30.e30.")) {
            assertThatThrownBy(() -> tokens().verify(token, NONCE)).isInstanceOf(BoxdException.class);
        }
    }
}
