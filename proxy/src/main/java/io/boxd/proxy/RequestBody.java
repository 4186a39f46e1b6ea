package io.boxd.proxy;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Semaphore;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.thread.Invocable;
import org.jspecify.annotations.Nullable;

/** The body of a visitor's request, passed on piece by piece as fast as the box takes it; for one thread. */
final class RequestBody {
    private static final byte[] LINE_END = {'\r', '\n'};

    private final Request request;
    private final Framing framing;
    private final Semaphore arrived = new Semaphore(0);
    /** What was read to find out whether there is any. */
    private Content.@Nullable Chunk first;

    private RequestBody(Request request) {
        this.request = request;
        this.framing = framing();
    }

    static RequestBody of(Request request) {
        return new RequestBody(request);
    }

    private Framing framing() {
        HttpFields headers = request.getHeaders();
        if (headers.contains(HttpHeader.CONTENT_LENGTH)) {
            return request.getLength() > 0 ? new Framing.Length(request.getLength()) : new Framing.None();
        }
        boolean newer = request.getConnectionMetaData().getHttpVersion() == HttpVersion.HTTP_2;
        boolean any = newer ? !isOver() : headers.contains(HttpHeader.TRANSFER_ENCODING);
        return any ? new Framing.Chunked() : new Framing.None();
    }

    /** HTTP/2 says that a request is over with its head, not in it. */
    private boolean isOver() {
        Content.Chunk chunk = request.read();
        if (chunk != null && chunk.isLast() && !chunk.hasRemaining() && !Content.Chunk.isFailure(chunk)) {
            chunk.release();
            return true;
        }
        first = chunk;
        return false;
    }

    Framing framed() {
        return framing;
    }

    /** Passes all of it on, with its trailers if it has any. */
    void passTo(OutputStream out, Progress progress) throws IOException {
        boolean chunked = framing instanceof Framing.Chunked;
        byte[] piece = new byte[ProxyLimits.BUFFER_BYTES];
        while (true) {
            Content.Chunk chunk = next(progress);
            try {
                if (chunk.hasRemaining()) {
                    pass(chunk.getByteBuffer(), chunked, piece, out);
                    progress.moved();
                }
            } finally {
                chunk.release();
            }
            if (chunk.isLast()) {
                break;
            }
        }
        if (chunked) {
            endWithTrailers(out);
        }
        out.flush();
    }

    private Content.Chunk next(Progress progress) throws IOException {
        while (true) {
            Content.Chunk chunk = first == null ? request.read() : first;
            first = null;
            if (chunk == null) {
                progress.waitsForVisitor(true);
                request.demand(Invocable.from(Invocable.InvocationType.NON_BLOCKING, arrived::release));
                arrived.acquireUninterruptibly();
                progress.waitsForVisitor(false);
            } else if (Content.Chunk.isFailure(chunk)) {
                throw new IOException("the request broke off", chunk.getFailure());
            } else {
                progress.moved();
                return chunk;
            }
        }
    }

    private void pass(ByteBuffer content, boolean chunked, byte[] piece, OutputStream out) throws IOException {
        while (content.hasRemaining()) {
            int length = Math.min(content.remaining(), piece.length);
            if (chunked) {
                out.write((Integer.toHexString(length) + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
            }
            content.get(piece, 0, length);
            out.write(piece, 0, length);
            if (chunked) {
                out.write(LINE_END);
            }
        }
        out.flush();
    }

    private void endWithTrailers(OutputStream out) throws IOException {
        StringBuilder end = new StringBuilder("0\r\n");
        HttpFields trailers = request.getTrailers();
        if (trailers != null) {
            for (HttpField trailer : trailers) {
                String value = trailer.getValue() == null ? "" : trailer.getValue();
                if (FieldNames.isToken(trailer.getName())
                        && FieldNames.isValue(value)
                        && FieldNames.canBeTrailer(FieldNames.plain(trailer.getName()))) {
                    end.append(trailer.getName()).append(": ").append(value).append("\r\n");
                }
            }
        }
        out.write(end.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1));
    }
}
