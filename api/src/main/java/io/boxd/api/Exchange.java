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
    static final int METHOD_NOT_ALLOWED = 405;
    static final int UPGRADE_REQUIRED = 426;
    private static final String DOOR = "http";

    private final Request request;
    private final Response response;
    private final String id;
    private Caller caller;

    Exchange(Request request, Response response) {
        this.request = request;
        this.response = response;
        this.id = RequestId.of(request.getHeaders().getValuesList(RequestId.HEADER));
        this.caller = Caller.stranger(DOOR, remoteAddress(), Optional.of(id));
        set(RequestId.HEADER, id);
        // A verb may take longer than bytes may stall.
        request.addIdleTimeoutListener(_ -> false);
    }

    /** What the request is called, in its answer and in the log. */
    String id() {
        return id;
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

    /** Whether the client takes this type of answer. */
    boolean accepts(String type) {
        List<String> accepted = request.getHeaders().getCSV(HttpHeader.ACCEPT, false);
        String family = type.substring(0, type.indexOf('/')) + "/*";
        return accepted.isEmpty()
                || accepted.stream()
                        .map(each -> each.split(";", 2)[0].strip().toLowerCase(Locale.ROOT))
                        .anyMatch(each -> each.equals(type) || each.equals(family) || each.equals("*/*"));
    }

    /** Where the client is. */
    String remoteAddress() {
        return Request.getRemoteAddr(request);
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

    /** Who asks; a stranger until that is known. */
    Caller caller() {
        return caller;
    }

    /** It is known now. */
    void comesFrom(Caller known) {
        caller = known;
    }

    /** Whether the client would rather have this type of content than any other. */
    boolean prefers(String type) {
        return request.getHeaders().getCSV(HttpHeader.ACCEPT, false).stream()
                .findFirst()
                .filter(first -> first.split(";", 2)[0].strip().equalsIgnoreCase(type))
                .isPresent();
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
        response.setStatus(status);
        send("application/json", Json.write(json).getBytes(StandardCharsets.UTF_8));
    }

    private void send(String type, byte[] bytes) throws IOException {
        set("Content-Type", type);
        set("Content-Length", String.valueOf(bytes.length));
        set("Cache-Control", "no-store");
        set("X-Content-Type-Options", "nosniff");
        try (OutputStream out = content()) {
            out.write(bytes);
        }
    }

    /** An answer without content. */
    void answerNothing() {
        response.setStatus(HttpStatus.NO_CONTENT_204);
    }

    /** An answer that is text, in a type that says more about it. */
    void answer(String type, String text) throws IOException {
        response.setStatus(HttpStatus.OK_200);
        send(type, text.getBytes(StandardCharsets.UTF_8));
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

    int status() {
        return response.getStatus();
    }

    /** The answer's content, for whoever waits in another way than a stream does. */
    Content.Sink sink() {
        return response;
    }

    /** Nothing may follow; the connection ends without the last chunk. */
    void breakOff(Throwable cause) {
        request.getConnectionMetaData().getConnection().getEndPoint().close(cause);
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
