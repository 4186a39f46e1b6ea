package io.boxd.control;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.login.DeviceCode;
import io.boxd.login.Issuer;
import io.boxd.login.Progress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Somewhere people log in, as a test wants it. */
public final class TestingIssuer implements Issuer {
    private volatile Progress progress = new Progress.Pending(false);
    private volatile @Nullable ErrorCode failure;

    /** How far all logins are. */
    public void answer(Progress next) {
        progress = next;
    }

    void failWith(@Nullable ErrorCode code) {
        failure = code;
    }

    private void failIfTold() {
        ErrorCode code = failure;
        if (code != null) {
            throw new BoxdException(code, "a failure that the test wants");
        }
    }

    @Override
    public DeviceCode begin(Deadline deadline) {
        failIfTold();
        return new DeviceCode(
                "d", "n", "CODE", "https://id/a", "https://id/a?CODE", Duration.ofMinutes(10), Duration.ZERO);
    }

    @Override
    public Progress poll(DeviceCode code, Deadline deadline) {
        failIfTold();
        return progress;
    }
}
