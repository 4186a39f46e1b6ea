package io.boxd.control;

import io.boxd.certificates.CertificateFacts;
import io.boxd.certificates.Certificates;
import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.common.Json;
import io.boxd.trust.Pem;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.X509Certificate;
import java.time.temporal.ChronoUnit;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** What certifies the names of boxes. */
final class CertificateVerbs {
    private final Certificates certificates;

    CertificateVerbs(Certificates certificates) {
        this.certificates = certificates;
    }

    Map<String, Handler> handlers() {
        return Map.of(
                "trust",
                _ -> authority(),
                "certificate list",
                _ -> list(),
                "certificate renew",
                Handler.about((_, said) -> renew(said.required("name"))),
                "certificate revoke",
                Handler.about((_, said) -> revoke(said.required("name"))));
    }

    private JsonNode authority() {
        X509Certificate own = certificates.authority();
        ObjectNode answer = Json.object();
        answer.put("name", own.getSubjectX500Principal().getName());
        answer.put("fingerprint_sha256", fingerprint(own));
        ArrayNode names = answer.putArray("names");
        certificates.authorityNames().forEach(names::add);
        answer.put("not_after", own.getNotAfter().toInstant().toString());
        answer.put("certificate", Pem.of(List.of(own)));
        return answer;
    }

    private static String fingerprint(X509Certificate certificate) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(certificate.getEncoded());
            return HexFormat.ofDelimiter(":").formatHex(digest).toUpperCase(Locale.ROOT);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("a certificate without an encoding", e);
        }
    }

    private JsonNode list() {
        ArrayNode all = Json.array();
        certificates.facts().forEach(facts -> all.add(json(facts)));
        return all;
    }

    private static ObjectNode json(CertificateFacts facts) {
        ObjectNode one = Json.object();
        ArrayNode names = one.putArray("names");
        facts.names().forEach(names::add);
        one.put("issuer", facts.issuer());
        one.put("not_after", facts.until().truncatedTo(ChronoUnit.SECONDS).toString());
        one.put("next_at", facts.renewAt().truncatedTo(ChronoUnit.SECONDS).toString());
        one.put("failure", facts.failure().orElse(null));
        one.put("failures", facts.failures());
        return one;
    }

    private JsonNode renew(String name) {
        certificates.renew(name);
        return list();
    }

    private JsonNode revoke(String name) {
        try {
            certificates.revoke(name);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BoxdException(ErrorCode.UNAVAILABLE, "the server ends; whether it was revoked is not known", e);
        }
        return list();
    }
}
