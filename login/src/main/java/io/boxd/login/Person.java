package io.boxd.login;

import java.util.List;
import java.util.Optional;

/**
 * Who has logged in, as their issuer says.
 *
 * @param subject which the issuer never gives to another
 * @param name what they like to be called there; they may change it
 * @param email only if the issuer says that it is theirs
 * @param organisations they are in there, where the issuer tells
 */
public record Person(
        String issuer, String subject, Optional<String> name, Optional<String> email, List<String> organisations) {
    public Person {
        organisations = List.copyOf(organisations);
    }
}
