package io.boxd.proxy;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.control.BoxVisit;
import io.boxd.control.Caller;
import io.boxd.control.Control;
import io.boxd.control.VisitOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers requests for boxes: finds which one is meant, has it woken, and passes them. */
final class BoxHandler extends Handler.Abstract {
    private static final Logger LOG = LoggerFactory.getLogger(BoxHandler.class);
    private static final String DOOR = "https";

    private final BoxNames names;
    private final Control control;
    private final SpareLines spares;
    private final Watch watch;

    BoxHandler(BoxNames names, Control control, SpareLines spares, Watch watch) {
        this.names = names;
        this.control = control;
        this.spares = spares;
        this.watch = watch;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        try {
            serve(request, response, callback);
        } catch (RuntimeException e) {
            fail(request, response, e, callback);
        }
        return true;
    }

    private static void fail(Request request, Response response, RuntimeException thrown, Callback callback) {
        if (response.isCommitted()) {
            callback.failed(thrown);
            return;
        }
        response.reset();
        Pages.answer(request, response, known(thrown), callback);
    }

    private static BoxdException known(RuntimeException thrown) {
        if (thrown instanceof BoxdException known && known.code() != ErrorCode.INTERNAL) {
            return known;
        }
        LOG.error("a request for a box failed", thrown);
        return new BoxdException(ErrorCode.INTERNAL, "the server failed", "Its log says more.", thrown);
    }

    private void serve(Request request, Response response, Callback callback) {
        String host = Optional.ofNullable(request.getHttpURI().getHost()).orElse("").toLowerCase(Locale.ROOT);
        BoxNames.Goal goal = names.find(host).orElseThrow(() -> noBox(host));
        RequestBody body = RequestBody.of(request);
        Incoming in = incoming(request, body.framed());
        RequestRewriting.Rewritten rewritten = RequestRewriting.rewrite(in, Optional.empty());
        Caller caller = Caller.stranger(DOOR, in.remote(), Optional.empty());
        BoxVisit visit = control.visit(caller, new VisitOrder(goal.box(), goal.port(), Optional.empty(), true));
        boolean goesOn = false;
        try {
            Passage passage = new Passage(
                    request, response, rewritten, body, new CookieRule(host), visit, spares, watch);
            goesOn = passage.pass(callback);
        } finally {
            if (!goesOn) {
                visit.close();
            }
        }
    }

    private static BoxdException noBox(String host) {
        String label = host.substring(0, Math.max(0, host.indexOf('.')));
        return io.boxd.accounts.Access.noBox(label);
    }

    private static Incoming incoming(Request request, Framing framing) {
        List<Field> fields = new ArrayList<>(request.getHeaders().size());
        for (HttpField field : request.getHeaders()) {
            fields.add(new Field(field.getName(), field.getValue() == null ? "" : field.getValue()));
        }
        return new Incoming(
                request.getMethod(),
                Optional.ofNullable(request.getHttpURI().getPathQuery()).orElse("/"),
                Optional.ofNullable(request.getHttpURI().getAuthority()).orElse(""),
                fields,
                framing,
                request.isSecure(),
                Request.getRemoteAddr(request),
                Request.getRemotePort(request));
    }
}
