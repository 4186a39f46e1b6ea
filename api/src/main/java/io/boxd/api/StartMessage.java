package io.boxd.api;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import tools.jackson.databind.node.ObjectNode;

/** The first message of a socket's client, for which the server waits a little while. */
final class StartMessage {
    private final CompletableFuture<ObjectNode> said = new CompletableFuture<>();

    /** False if there was one already. */
    boolean take(ObjectNode fields) {
        return said.complete(fields);
    }

    boolean hasCome() {
        return said.isDone();
    }

    /** Nobody needs to wait for it any more. */
    void fail(BoxdException failure) {
        said.completeExceptionally(failure);
    }

    /** @param requestId under which the log names what nobody foresaw */
    ObjectNode await(String requestId) {
        try {
            return said.get(ApiLimits.START.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BoxdException(ErrorCode.UNAVAILABLE, "the server ends", e);
        } catch (ExecutionException e) {
            throw Errors.known(e.getCause() == null ? e : e.getCause(), requestId);
        } catch (TimeoutException e) {
            throw new BoxdException(
                    ErrorCode.TIMEOUT, "no start came within " + ApiLimits.START.toSeconds() + " seconds", e);
        }
    }
}
