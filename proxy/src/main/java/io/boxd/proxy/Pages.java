package io.boxd.proxy;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.common.Json;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** What a visitor sees when a box does not answer: a page for people, JSON for programs. */
final class Pages {
    private static final int OK = 200;
    private static final int BAD_REQUEST = 400;
    private static final int UNAUTHORIZED = 401;
    private static final int NOT_FOUND = 404;
    private static final int TOO_MANY = 429;
    private static final int INTERNAL = 500;
    private static final int BAD_GATEWAY = 502;
    private static final int UNAVAILABLE = 503;
    private static final int GATEWAY_TIMEOUT = 504;
    private static final String RETRY_SECONDS = "5";

    private static final String PAGE = """
            <!doctype html>
            <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
            <meta name="robots" content="noindex"><title>{title}</title><style>
            :root{color-scheme:light dark}
            body{font:16px/1.5 system-ui,sans-serif;margin:0;min-height:100vh;display:grid;place-items:center;
            background:light-dark(#f6f7f9,#14161a);color:light-dark(#1c1f24,#e6e8eb)}
            main{max-width:34rem;margin:2rem;padding:2rem 2.5rem;border-radius:1rem;
            background:light-dark(#fff,#1d2026);box-shadow:0 1px 3px #0003}
            h1{font-size:1.4rem;margin:0 0 .75rem}p{margin:.5rem 0}
            .hint{color:light-dark(#5b6470,#9aa3ae)}
            small{display:block;margin-top:1.5rem;color:light-dark(#8a929c,#6d7681)}
            </style></head><body><main><h1>{title}</h1><p>{message}</p><p class="hint">{hint}</p><small>boxd · {status}</small>
            </main></body></html>
            """;

    private Pages() {}

    /** Answers with a failure, if nothing has been answered yet. */
    static void answer(Request request, Response response, BoxdException failure, Callback callback) {
        int status = status(failure.code());
        boolean page = request.getHeaders().getValuesList(HttpHeader.ACCEPT).stream()
                .anyMatch(value -> value.toLowerCase(Locale.ROOT).contains("text/html"));
        byte[] body = (page ? html(status, failure) : json(failure)).getBytes(StandardCharsets.UTF_8);
        response.setStatus(status);
        HttpFields.Mutable headers = response.getHeaders();
        headers.put("Content-Type", page ? "text/html; charset=utf-8" : "application/json");
        headers.put("Content-Length", body.length);
        headers.put("Cache-Control", "no-store");
        headers.put("X-Boxd-Error", failure.code().wireName());
        if (status == UNAVAILABLE || status == TOO_MANY) {
            headers.put("Retry-After", RETRY_SECONDS);
        }
        if (status == UNAUTHORIZED) {
            headers.put("WWW-Authenticate", "Bearer");
        }
        boolean head = request.getMethod().equals("HEAD");
        response.write(true, head ? ByteBuffer.allocate(0) : ByteBuffer.wrap(body), callback);
    }

    /** For those who only look whether a box is well: it is. */
    static void asleep(Response response, Callback callback) {
        response.setStatus(OK);
        response.getHeaders().put("X-Boxd-Status", "asleep");
        response.getHeaders().put("Cache-Control", "no-store");
        response.write(true, ByteBuffer.allocate(0), callback);
    }

    static int status(ErrorCode code) {
        return switch (code) {
            case INVALID_ARGUMENT -> BAD_REQUEST;
            case UNAUTHENTICATED -> UNAUTHORIZED;
            case NOT_FOUND, PERMISSION_DENIED -> NOT_FOUND;
            case RESOURCE_EXHAUSTED, QUOTA_EXCEEDED -> TOO_MANY;
            case WRONG_STATE -> UNAVAILABLE;
            case UNAVAILABLE -> BAD_GATEWAY;
            case TIMEOUT -> GATEWAY_TIMEOUT;
            case ALREADY_EXISTS, INTERNAL -> INTERNAL;
        };
    }

    private static String title(ErrorCode code) {
        return switch (code) {
            case INVALID_ARGUMENT -> "This request cannot be passed on";
            case UNAUTHENTICATED, NOT_FOUND, PERMISSION_DENIED -> "There is no such box";
            case RESOURCE_EXHAUSTED, QUOTA_EXCEEDED -> "This box is asked for too often";
            case WRONG_STATE -> "This box does not run";
            case UNAVAILABLE -> "The box runs, but nothing answers in it";
            case TIMEOUT -> "This takes too long";
            case ALREADY_EXISTS, INTERNAL -> "Something went wrong";
        };
    }

    private static String html(int status, BoxdException failure) {
        String hint = failure.hint() == null ? "" : failure.hint();
        return PAGE.replace("{status}", String.valueOf(status))
                .replace("{title}", escaped(title(failure.code())))
                .replace("{hint}", escaped(hint))
                .replace("{message}", escaped(String.valueOf(failure.getMessage())));
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }

    private static String json(BoxdException failure) {
        var answer = Json.object();
        answer.putObject("error")
                .put("code", failure.code().wireName())
                .put("message", failure.getMessage())
                .put("hint", failure.hint());
        return Json.write(answer);
    }
}
