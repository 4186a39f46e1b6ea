package io.boxd.ssh;

import static io.boxd.ssh.KeyOffers.Answer.ANOTHER_FIRST;
import static io.boxd.ssh.KeyOffers.Answer.NO;
import static io.boxd.ssh.KeyOffers.Answer.SIGN;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** With which of its keys a client is to sign. */
@Tag("unit")
final class KeyOffersTest {
    private final KeyOffers offers = new KeyOffers("known"::equals);

    @Test
    void aKnownKeyIsTakenWhateverCameBefore() {
        assertThat(offers.answer("a")).isEqualTo(ANOTHER_FIRST);
        assertThat(offers.answer("b")).isEqualTo(ANOTHER_FIRST);
        assertThat(offers.answer("known")).isEqualTo(SIGN);
    }

    @Test
    void anUnknownKeyIsTakenOnceTheClientHasNoOther() {
        assertThat(offers.answer("a")).isEqualTo(ANOTHER_FIRST);
        assertThat(offers.answer("b")).isEqualTo(ANOTHER_FIRST);
        assertThat(offers.answer("a")).isEqualTo(SIGN);
        assertThat(offers.answer("a")).isEqualTo(SIGN);
    }

    @Test
    void nobodyOffersForEver() {
        for (int i = 0; i < SshLimits.KEY_OFFERS; i++) {
            assertThat(offers.answer("key " + i)).isEqualTo(ANOTHER_FIRST);
        }
        assertThat(offers.answer("known")).isEqualTo(NO);
    }
}
