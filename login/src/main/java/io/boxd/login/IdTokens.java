package io.boxd.login;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jose4j.jwa.AlgorithmConstraints;
import org.jose4j.jwk.JsonWebKeySet;
import org.jose4j.jws.AlgorithmIdentifiers;
import org.jose4j.jwt.JwtClaims;
import org.jose4j.jwt.MalformedClaimException;
import org.jose4j.jwt.consumer.ErrorCodes;
import org.jose4j.jwt.consumer.InvalidJwtException;
import org.jose4j.jwt.consumer.JwtConsumer;
import org.jose4j.jwt.consumer.JwtConsumerBuilder;
import org.jose4j.keys.resolvers.JwksVerificationKeyResolver;
import org.jose4j.lang.JoseException;
import org.jspecify.annotations.Nullable;

/**
 * Reads ID tokens, and believes those only that the issuer has signed for this server and this login.
 *
 * <p>Signatures are by public keys: a token that is not signed, or with something that this server knows itself, is
 * none.
 */
final class IdTokens {
    private static final int CLOCK_SKEW_SECONDS = 60;
    private static final int LONGEST = 64 * 1024;

    private static final AlgorithmConstraints SIGNED = new AlgorithmConstraints(
            AlgorithmConstraints.ConstraintType.PERMIT,
            AlgorithmIdentifiers.RSA_USING_SHA256,
            AlgorithmIdentifiers.RSA_USING_SHA384,
            AlgorithmIdentifiers.RSA_USING_SHA512,
            AlgorithmIdentifiers.RSA_PSS_USING_SHA256,
            AlgorithmIdentifiers.RSA_PSS_USING_SHA384,
            AlgorithmIdentifiers.RSA_PSS_USING_SHA512,
            AlgorithmIdentifiers.ECDSA_USING_P256_CURVE_AND_SHA256,
            AlgorithmIdentifiers.ECDSA_USING_P384_CURVE_AND_SHA384,
            AlgorithmIdentifiers.ECDSA_USING_P521_CURVE_AND_SHA512,
            AlgorithmIdentifiers.EDDSA);

    private final String issuer;
    private final String clientId;
    private final Keys keys;

    /** The issuer's keys. */
    interface Keys {
        /** As they were fetched last. */
        String known();

        /** Fetched anew, since a token names one that is not among them; the same if that was just done. */
        String again();
    }

    IdTokens(String issuer, String clientId, Keys keys) {
        this.issuer = issuer;
        this.clientId = clientId;
        this.keys = keys;
    }

    /** Who the token is about. */
    Person verify(String token, String nonce) {
        if (token.length() > LONGEST) {
            throw refused("it is too long", null);
        }
        JwtClaims claims;
        try {
            claims = claims(token, keys::known);
        } catch (InvalidJwtException first) {
            if (isRefusedWhateverTheKeys(first)) {
                throw refused(why(first), first);
            }
            try {
                claims = claims(token, keys::again);
            } catch (InvalidJwtException again) {
                throw refused(why(again), again);
            }
        }
        try {
            requireOurs(claims, nonce);
            return person(claims);
        } catch (MalformedClaimException e) {
            throw refused("a claim is not well formed", e);
        }
    }

    /** With other keys the same would be wrong with it. */
    private static boolean isRefusedWhateverTheKeys(InvalidJwtException e) {
        return e.getJwtContext() != null
                && !e.getErrorDetails().isEmpty()
                && e.getErrorDetails().stream()
                        .noneMatch(error -> error.getErrorCode() == ErrorCodes.SIGNATURE_INVALID
                                || error.getErrorCode() == ErrorCodes.MISCELLANEOUS);
    }

    private JwtClaims claims(String token, Supplier<String> source) throws InvalidJwtException {
        JsonWebKeySet set;
        try {
            set = new JsonWebKeySet(source.get());
        } catch (JoseException e) {
            throw Web.unusable("the issuer's keys cannot be read", e);
        }
        JwtConsumer consumer = new JwtConsumerBuilder()
                .setJwsAlgorithmConstraints(SIGNED)
                .setVerificationKeyResolver(new JwksVerificationKeyResolver(set.getJsonWebKeys()))
                .setExpectedIssuer(true, issuer)
                .setExpectedAudience(true, clientId)
                .setRequireExpirationTime()
                .setRequireIssuedAt()
                .setRequireSubject()
                .setAllowedClockSkewInSeconds(CLOCK_SKEW_SECONDS)
                .build();
        return consumer.processToClaims(token);
    }

    private void requireOurs(JwtClaims claims, String nonce) throws MalformedClaimException {
        Optional<String> party = Optional.ofNullable(claims.getStringClaimValue("azp"));
        if (party.isPresent()
                ? !party.get().equals(clientId)
                : claims.getAudience().size() > 1) {
            throw refused("it was made for another client", null);
        }
        Optional<String> its = Optional.ofNullable(claims.getStringClaimValue("nonce"));
        // Not every issuer hands a nonce on here; one that does tells which login the token is for.
        if (its.isPresent() && !its.get().equals(nonce)) {
            throw refused("it was made for another login", null);
        }
    }

    private Person person(JwtClaims claims) throws MalformedClaimException {
        boolean verified = Boolean.TRUE.equals(claims.getClaimValue("email_verified"));
        Optional<String> email = Optional.ofNullable(claims.getClaimValue("email"))
                .filter(_ -> verified)
                .map(String::valueOf);
        return new Person(
                issuer,
                claims.getSubject(),
                Optional.ofNullable(claims.getClaimValue("preferred_username")).map(String::valueOf),
                email,
                groups(claims));
    }

    private static List<String> groups(JwtClaims claims) {
        List<String> groups = new ArrayList<>();
        if (claims.getClaimValue("groups") instanceof List<?> list) {
            list.forEach(group -> groups.add(String.valueOf(group)));
        }
        return groups;
    }

    /** What was wrong, without the token, which could be good elsewhere. */
    private static String why(InvalidJwtException e) {
        if (e.hasExpired()) {
            return "it has expired";
        }
        return e.getErrorDetails().stream()
                .findFirst()
                .map(error -> switch (error.getErrorCode()) {
                    case ErrorCodes.AUDIENCE_INVALID, ErrorCodes.AUDIENCE_MISSING -> "it was made for another client";
                    case ErrorCodes.ISSUER_INVALID, ErrorCodes.ISSUER_MISSING -> "another issuer has made it";
                    case ErrorCodes.SIGNATURE_INVALID, ErrorCodes.SIGNATURE_MISSING -> "the issuer has not signed it";
                    default -> "it is not well formed, or the issuer has not signed it";
                })
                .orElse("it is not well formed, or the issuer has not signed it");
    }

    private static BoxdException refused(String why, @Nullable Throwable cause) {
        return new BoxdException(
                ErrorCode.UNAUTHENTICATED, "the issuer's token is not believed: " + why, "Log in again.", cause);
    }
}
