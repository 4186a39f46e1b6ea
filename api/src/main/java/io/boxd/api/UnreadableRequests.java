package io.boxd.api;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.io.IOException;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** Answers requests that Jetty itself refuses, in the same form as all others. */
final class UnreadableRequests implements Request.Handler {
    private static final int FIRST_SERVER_ERROR = 500;

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        int status = response.getStatus();
        boolean ours = status >= FIRST_SERVER_ERROR;
        BoxdException failure = new BoxdException(
                ours ? ErrorCode.INTERNAL : ErrorCode.INVALID_ARGUMENT,
                ours ? "the server failed" : "the request is not understood (" + status + ")",
                ours ? "Its log says more." : "Is it HTTP/1.1, its path well encoded, its header not too long?",
                null);
        try {
            new Exchange(request, response).answer(status, Errors.json(failure));
            callback.succeeded();
        } catch (IOException e) {
            callback.failed(e);
        }
        return true;
    }
}
