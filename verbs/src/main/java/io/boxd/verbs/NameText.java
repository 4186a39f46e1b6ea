package io.boxd.verbs;

import java.util.List;

/** Certificates as text for people. */
final class NameText {
    private static final String ADVICE = """

            For all programs of this machine: sudo boxd trust install
            For one that takes a file:        boxd trust --json | jq -r .certificate
            For Firefox and Chromium:         import that file as an authority
            """;

    private final Look look;

    NameText(Look look) {
        this.look = look;
    }

    String trust(Fields authority) {
        return new Sheet()
                        .line("authority", authority.text("name"))
                        .line("fingerprint", authority.text("fingerprint_sha256"))
                        .line("certifies", String.join(", ", authority.texts("names")) + ", and names below")
                        .line("until", authority.text("not_after"))
                        .text(look)
                + ADVICE;
    }

    String certificates(List<Fields> certificates) {
        Table table = new Table()
                .names("NAMES", 9)
                .column("ISSUER", 6)
                .column("UNTIL", 8)
                .column("NEXT", 7)
                .column("TROUBLE", 5);
        for (Fields certificate : certificates) {
            table.row(
                    String.join(" ", certificate.texts("names")),
                    certificate.text("issuer"),
                    Human.until(certificate.time("not_after"), look.now()),
                    Human.until(certificate.time("next_at"), look.now()),
                    certificate.text("failure", ""));
        }
        return table.isEmpty() ? "No certificates.\n" : table.text(look, (title, cell) -> cell);
    }
}
