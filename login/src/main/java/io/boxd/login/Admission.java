package io.boxd.login;

import java.util.Locale;
import java.util.Set;

/**
 * Who may come in without an invitation; nobody, if nothing is said.
 *
 * @param domains of mail addresses that the issuer vouches for
 * @param organisations at the issuer
 * @param subjects single people
 */
public record Admission(Set<String> domains, Set<String> organisations, Set<String> subjects) {
    public Admission {
        domains = Set.copyOf(domains);
        organisations = Set.copyOf(organisations);
        subjects = Set.copyOf(subjects);
    }

    public static Admission nobody() {
        return new Admission(Set.of(), Set.of(), Set.of());
    }

    public boolean admits(Person person) {
        boolean byMail = person.email()
                .map(address -> address.substring(address.lastIndexOf('@') + 1).toLowerCase(Locale.ROOT))
                .filter(domains::contains)
                .isPresent();
        return byMail
                || subjects.contains(person.subject())
                || person.organisations().stream().anyMatch(organisations::contains);
    }
}
