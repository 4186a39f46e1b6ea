package io.boxd.api;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.common.Json;
import io.boxd.control.Caller;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Fields;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** One request and its answer, in our words. */
final class Exchange {
    private final Request request;
    private final Response response;

    Exchange(Request request, Response response) {
        this.request = request;
        this.response = response;
        // A verb may take longer than bytes may stall.
        request.addIdleTimeoutListener(_ -> false);
    }

    String method() {
        return request.getMethod();
    }

    /** Still encoded, so that an encoded slash does not become a separator. */
    String path() {
        return Optional.ofNullable(request.getHttpURI().getPath()).orElse("/");
    }

    boolean asksForSocket() {
        return "websocket".equalsIgnoreCase(request.getHeaders().get(HttpHeader.UPGRADE));
    }

    /** Whether the client of a socket knows this subprotocol. */
    boolean speaks(String protocol) {
        return request.getHeaders()
                .getCSV(HttpHeader.SEC_WEBSOCKET_SUBPROTOCOL, false)
                .contains(protocol);
    }

    Optional<String> header(String name) {
        return Optional.ofNullable(request.getHeaders().get(name));
    }

    Gate.Request atTheGate() {
        InetAddress local = request.getConnectionMetaData().getLocalSocketAddress() instanceof InetSocketAddress address
                ? address.getAddress()
                : null;
        return new Gate.Request(
                request.getHeaders().getValuesList(HttpHeader.HOST),
                request.getHeaders().getValuesList(HttpHeader.ORIGIN),
                request.getHeaders().getValuesList(HttpHeader.AUTHORIZATION),
                local);
    }

    /** Who asks; the token says whether he may, and not yet who he is. */
    Caller caller() {
        String remote = request.getConnectionMetaData().getRemoteSocketAddress() instanceof InetSocketAddress address
                        && address.getAddress() != null
                ? address.getAddress().getHostAddress()
                : "unknown";
        return Caller.local("http", remote, Optional.empty());
    }

    /** Whether the client would rather have this type of content. */
    boolean accepts(String type) {
        return request.getHeaders().getValuesList(HttpHeader.ACCEPT).stream()
                .anyMatch(value -> value.toLowerCase(Locale.ROOT).contains(type));
    }

    Map<String, List<String>> query() {
        Map<String, List<String>> values = new LinkedHashMap<>();
        try {
            for (Fields.Field field : Request.extractQueryParameters(request)) {
                values.put(field.getName(), field.getValues());
            }
        } catch (RuntimeException e) {
            throw new BoxdException(ErrorCode.INVALID_ARGUMENT, "the query is not well encoded", e);
        }
        return values;
    }

    InputStream body() {
        return Content.Source.asInputStream(request);
    }

    /** The JSON object of the body; nothing said is an empty one. */
    ObjectNode jsonBody() {
        byte[] bytes;
        try {
            bytes = body().readNBytes(ApiLimits.BODY_BYTES + 1);
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.UNAVAILABLE, "the request broke off", e);
        }
        if (bytes.length > ApiLimits.BODY_BYTES) {
            throw new BoxdException(
                    ErrorCode.INVALID_ARGUMENT, "a request's body has at most " + ApiLimits.BODY_BYTES + " bytes");
        }
        if (bytes.length == 0) {
            return Json.object();
        }
        if (Json.parse(new String(bytes, StandardCharsets.UTF_8)) instanceof ObjectNode object) {
            return object;
        }
        throw new BoxdException(ErrorCode.INVALID_ARGUMENT, "a request's body is a JSON object");
    }

    void answer(int status, JsonNode json) throws IOException {
        byte[] bytes = Json.write(json).getBytes(StandardCharsets.UTF_8);
        response.setStatus(status);
        set("Content-Type", "application/json");
        set("Content-Length", String.valueOf(bytes.length));
        set("Cache-Control", "no-store");
        set("X-Content-Type-Options", "nosniff");
        try (OutputStream out = content()) {
            out.write(bytes);
        }
    }

    void refuse(BoxdException failure) throws IOException {
        if (failure.code() == ErrorCode.UNAUTHENTICATED) {
            set("WWW-Authenticate", "Bearer");
        }
        answer(Errors.status(failure.code()), Errors.json(failure));
    }

    void set(String header, String value) {
        response.getHeaders().put(header, value);
    }

    void begin(int status) {
        response.setStatus(status);
    }

    OutputStream content() {
        return Content.Sink.asOutputStream(response);
    }

    /** Whether the client has been told how it went. */
    boolean isAnswered() {
        return response.isCommitted();
    }

    static int ok() {
        return HttpStatus.OK_200;
    }
}
