package io.boxd.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
final class BoxdExceptionTest {
    @Test
    void keepsCodeHintAndCause() {
        IOException cause = new IOException("disk full");
        BoxdException error = new BoxdException(ErrorCode.RESOURCE_EXHAUSTED, "no room", "Free some space.", cause);
        assertThat(error.code()).isEqualTo(ErrorCode.RESOURCE_EXHAUSTED);
        assertThat(error.hint()).isEqualTo("Free some space.");
        assertThat(error).hasMessage("no room").hasCause(cause);
        assertThat(new BoxdException(ErrorCode.INTERNAL, "broken").hint()).isNull();
    }

    /** Programs depend on these spellings: a change here is a breaking change. */
    @Test
    void wireNamesAreStable() {
        assertThat(Arrays.stream(ErrorCode.values()).map(ErrorCode::wireName))
                .containsExactly(
                        "invalid_argument",
                        "unauthenticated",
                        "permission_denied",
                        "not_found",
                        "already_exists",
                        "wrong_state",
                        "quota_exceeded",
                        "resource_exhausted",
                        "timeout",
                        "unavailable",
                        "internal");
    }
}
