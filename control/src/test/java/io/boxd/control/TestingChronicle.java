package io.boxd.control;

import io.boxd.chronicle.Audit;
import io.boxd.chronicle.Chronicle;
import io.boxd.chronicle.Feed;
import io.boxd.chronicle.Webhooks;
import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import org.jspecify.annotations.Nullable;

/** A real chronicle that can be told to fail. */
final class TestingChronicle implements Chronicle {
    private final Chronicle real;
    private volatile @Nullable ErrorCode failure;

    TestingChronicle(Chronicle real) {
        this.real = real;
    }

    void failWith(@Nullable ErrorCode code) {
        failure = code;
    }

    private Chronicle checked() {
        ErrorCode code = failure;
        if (code != null) {
            throw new BoxdException(code, "the test wants it");
        }
        return real;
    }

    @Override
    public Audit audit() {
        return checked().audit();
    }

    @Override
    public Feed feed() {
        return checked().feed();
    }

    @Override
    public Webhooks webhooks() {
        return checked().webhooks();
    }

    @Override
    public void close() {
        real.close();
    }
}
