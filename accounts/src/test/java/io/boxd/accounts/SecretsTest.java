package io.boxd.accounts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
final class SecretsTest {
    @Test
    void oneWrongLetterIsNoticedAndNothingElseIsCalledOurs() {
        Random random = new Random(7);
        for (int round = 0; round < 200; round++) {
            byte[] bytes = new byte[Secrets.BYTES];
            random.nextBytes(bytes);
            String secret = round % 2 == 0 ? Secrets.token(bytes) : Secrets.invitation(bytes);
            assertThat(Secrets.isMistyped(secret)).isFalse();
            int at = secret.indexOf('_') + 1 + random.nextInt(64);
            char other = secret.charAt(at) == '0' ? '1' : '0';
            String mistyped = secret.substring(0, at) + other + secret.substring(at + 1);
            assertThat(Secrets.isMistyped(mistyped)).isTrue();
            assertThat(Secrets.isMistyped(secret.substring(0, secret.length() - 1)))
                    .isTrue();
            assertThat(Secrets.hash(mistyped)).isNotEqualTo(Secrets.hash(secret));
        }
        assertThat(Secrets.isMistyped("0f3b"))
                .as("the token of an older instance")
                .isFalse();
    }

    @Test
    void aSecretHasAllItsBits() {
        assertThatThrownBy(() -> Secrets.token(new byte[16])).isInstanceOf(IllegalArgumentException.class);
        assertThat(Secrets.hash("abc")).isEqualTo("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
