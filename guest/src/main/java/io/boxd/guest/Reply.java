package io.boxd.guest;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** An answer that one thread waits for and the connection's reader brings. */
final class Reply<T> {
    private final CompletableFuture<T> future = new CompletableFuture<>();

    /** True if this was the first answer. */
    boolean complete(T answer) {
        return future.complete(answer);
    }

    void fail(BoxdException reason) {
        future.completeExceptionally(reason);
    }

    boolean isDone() {
        return future.isDone();
    }

    T await(Deadline deadline, String what) {
        try {
            return future.get(deadline.leftNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw deadline.exceeded(what);
        } catch (ExecutionException e) {
            throw asOfThisThread(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BoxdException(ErrorCode.UNAVAILABLE, what + " was interrupted", e);
        }
    }

    /** A new exception, so that the trace shows who waited, with the first one as its cause. */
    private static BoxdException asOfThisThread(@Nullable Throwable cause) {
        if (cause instanceof BoxdException reason) {
            return new BoxdException(reason.code(), String.valueOf(reason.getMessage()), reason.hint(), reason);
        }
        return new BoxdException(ErrorCode.INTERNAL, "an answer could not be taken", cause);
    }
}
