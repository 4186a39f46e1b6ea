package io.boxd.proxy;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.control.BoxVisit;
import java.io.IOException;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Blocker;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * One request on its way to a box, and the answer on its way back. The answer may begin, and end, before the request has
 * been sent; what one side does not take, the other is not asked for.
 */
final class Passage implements AutoCloseable {
    /** What may be sent once more when the box has closed a connection just then. */
    private static final Set<String> REPEATABLE = Set.of("GET", "HEAD", "OPTIONS");

    private static final String TRAILER = "trailer";

    private final Request request;
    private final Response response;
    private final RequestRewriting.Rewritten rewritten;
    private final RequestBody content;
    private final CookieRule cookies;
    private final BoxVisit visit;
    private final SpareLines spares;
    private final Watch watch;
    private final Progress progress = new Progress();
    private final CountDownLatch leave = new CountDownLatch(1);
    private volatile @Nullable BoxLine line;
    private volatile boolean answered;
    private volatile boolean sent;

    Passage(
            Request request,
            Response response,
            RequestRewriting.Rewritten rewritten,
            RequestBody content,
            CookieRule cookies,
            BoxVisit visit,
            SpareLines spares,
            Watch watch) {
        this.request = request;
        this.response = response;
        this.rewritten = rewritten;
        this.content = content;
        this.cookies = cookies;
        this.visit = visit;
        this.spares = spares;
        this.watch = watch;
        this.sent = content.framed() instanceof Framing.None;
    }

    /**
     * Passes the request and the answer; returns whether a tunnel goes on, whose this visit is then.
     *
     * @param callback completed unless this throws, which it does only while nothing of an answer has been sent
     */
    boolean pass(Callback callback) {
        request.addIdleTimeoutListener(_ -> progress.isOnVisitor() || progress.stands());
        watch.begin(progress, this::cut);
        try {
            AnswerHead head = ask();
            if (head.status() == AnswerHead.SWITCHING) {
                change(head, callback);
                return true;
            }
            answered = true;
            visit.rest();
            answer(head, callback);
            return false;
        } finally {
            watch.end(progress);
        }
    }

    private void cut() {
        BoxLine present = line;
        if (present != null) {
            present.close();
        }
    }

    /** The head of the answer, from a connection that was used before if that does no harm. */
    private AnswerHead ask() {
        boolean repeatable = content.framed() instanceof Framing.None
                && rewritten.upgrade().isEmpty()
                && REPEATABLE.contains(rewritten.head().method());
        BoxLine first = repeatable ? spares.take(place()).orElse(null) : null;
        if (first != null) {
            try {
                line = first;
                return ask(first);
            } catch (IOException e) {
                // It was closed meanwhile, or breaks off now; a new one tells.
                first.close();
            }
        }
        BoxLine fresh = BoxLine.of(visit.connect(ProxyLimits.CONNECT));
        line = fresh;
        try {
            return ask(fresh);
        } catch (IOException e) {
            fresh.close();
            throw failure(e);
        }
    }

    private SpareLines.Place place() {
        return new SpareLines.Place(visit.box(), visit.port());
    }

    private BoxdException failure(IOException e) {
        if (progress.stands()) {
            return new BoxdException(
                    ErrorCode.TIMEOUT,
                    "what listens on port " + visit.port() + " does not answer",
                    "It was given " + ProxyLimits.ANSWER.toMinutes() + " minutes.",
                    e);
        }
        boolean nonsense = e instanceof ProtocolException;
        return new BoxdException(
                ErrorCode.UNAVAILABLE,
                nonsense
                        ? "what listens on port " + visit.port() + " does not speak HTTP: " + e.getMessage()
                        : "what listens on port " + visit.port() + " ended the connection without an answer",
                nonsense ? "Which port does it listen on? PORT-NAME as the host chooses one." : "Its log may say why.",
                e);
    }

    private AnswerHead ask(BoxLine to) throws IOException {
        to.output().write(rewritten.head().encoded());
        to.output().flush();
        progress.moved();
        if (!sent) {
            Thread.ofVirtual().name("proxy-upload").start(() -> upload(to));
        }
        for (int i = 0; i <= ProxyLimits.INTERIM_ANSWERS; i++) {
            AnswerHead head = AnswerHead.read(to.input(), rewritten.head().method());
            progress.moved();
            if (head.status() == AnswerHead.SWITCHING && rewritten.upgrade().isEmpty()) {
                throw new ProtocolException("it changes to a protocol that nobody asked for");
            }
            if (!head.interim()) {
                return head;
            }
            leave.countDown();
            if (head.status() != AnswerHead.CONTINUE) {
                tell(head);
            }
        }
        throw new ProtocolException("it announces an answer again and again");
    }

    private void tell(AnswerHead head) {
        response.writeInterim(head.status(), fields(head.forVisitor(cookies))).join();
    }

    private static HttpFields fields(List<Field> fields) {
        HttpFields.Mutable written = HttpFields.build();
        fields.forEach(field -> written.add(field.name(), field.value()));
        return written;
    }

    private void upload(BoxLine to) {
        try {
            awaitLeave();
            if (!answered) {
                content.passTo(to.output(), progress);
                sent = true;
            }
        } catch (IOException | RuntimeException e) {
            // A box that has answered may take no more. Otherwise whoever waits for the answer must know.
            if (!answered) {
                to.close();
            }
        }
    }

    private void awaitLeave() throws IOException {
        if (!rewritten.waits()) {
            return;
        }
        try {
            if (!leave.await(ProxyLimits.LEAVE.toMillis(), TimeUnit.MILLISECONDS)) {
                progress.moved(); // it does not know the question; the body is sent as if it had answered
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    /** The connection is no more HTTP: from here on bytes pass. */
    private void change(AnswerHead head, Callback callback) {
        BoxLine used = Objects.requireNonNull(line);
        response.setStatus(AnswerHead.SWITCHING);
        head.forVisitor(cookies).forEach(field -> response.getHeaders().add(field.name(), field.value()));
        response.getHeaders().put("Connection", "Upgrade");
        response.getHeaders().put("Upgrade", rewritten.upgrade().orElseThrow());
        TunnelConnection.take(request, used, visit, watch);
        callback.succeeded();
    }

    private void answer(AnswerHead head, Callback callback) {
        BoxLine used = Objects.requireNonNull(line);
        AnswerBody body = new AnswerBody(used.input(), head.framing());
        response.setStatus(head.status());
        List<Field> fields = head.forVisitor(cookies);
        fields.forEach(field -> response.getHeaders().add(field.name(), field.value()));
        if (fields.stream().anyMatch(field -> field.is(TRAILER))) {
            response.setTrailersSupplier(() -> fields(body.trailers()));
        }
        progress.patience(ProxyLimits.STREAM);
        try {
            begin(head);
            copy(body);
        } catch (IOException e) {
            used.close();
            callback.failed(e);
            return;
        }
        if (sent && head.lasting() && body.ended() && !used.input().hasMore()) {
            spares.keep(place(), used);
        } else {
            used.close();
        }
        callback.succeeded();
    }

    /**
     * Sends the head by itself. Where there is no body its length would be taken for 0, which is not what it is of the
     * answer to HEAD or of what has not changed.
     */
    private void begin(AnswerHead head) throws IOException {
        boolean silent = head.framing() instanceof Framing.None
                && head.fields().stream().noneMatch(field -> field.is("content-length"));
        if (silent) {
            write(false, BufferUtil.EMPTY_BUFFER);
        }
    }

    private void write(boolean last, ByteBuffer content) throws IOException {
        progress.waitsForVisitor(true);
        try (Blocker.Callback written = Blocker.callback()) {
            response.write(last, content, written);
            written.block();
        }
        progress.waitsForVisitor(false);
    }

    private void copy(AnswerBody body) throws IOException {
        byte[] piece = new byte[ProxyLimits.BUFFER_BYTES];
        int count = body.read(piece);
        while (count >= 0) {
            progress.moved();
            boolean last = body.ended();
            write(last, ByteBuffer.wrap(piece, 0, count));
            count = last ? -1 : body.read(piece);
        }
    }

    @Override
    public void close() {
        visit.close();
    }
}
