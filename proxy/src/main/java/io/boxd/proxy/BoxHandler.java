package io.boxd.proxy;

import io.boxd.accounts.Principal;
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
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.BufferUtil;
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
    private final Optional<SecureOnly> secured;

    /** @param secured where those are sent who come without TLS, if they are to come with it */
    BoxHandler(BoxNames names, Control control, SpareLines spares, Watch watch, Optional<SecureOnly> secured) {
        this.names = names;
        this.control = control;
        this.spares = spares;
        this.watch = watch;
        this.secured = secured;
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
        String host =
                Optional.ofNullable(request.getHttpURI().getHost()).orElse("").toLowerCase(Locale.ROOT);
        if (secured.isPresent() && !request.isSecure()) {
            redirect(response, secured.get().url(host, request.getHttpURI().getPathQuery()), callback);
            return;
        }
        secured.ifPresent(secure -> response.getHeaders().put(HttpHeader.STRICT_TRANSPORT_SECURITY, secure.promise()));
        BoxNames.Goal goal = names.find(host).orElseThrow(() -> noBox(host));
        RequestBody body = RequestBody.of(request);
        Incoming in = incoming(request, body.framed());
        Visitor visitor = Visitor.of(in);
        Caller caller = visitor.caller(control, Caller.stranger(DOOR, in.remote(), Optional.empty()));
        RequestRewriting.Rewritten rewritten =
                RequestRewriting.rewrite(in, caller.who().map(Principal::name));
        BoxVisit visit = control.visit(caller, visitor.order(goal));
        boolean goesOn = false;
        try {
            if (visit.asleep()) {
                Pages.asleep(response, callback);
                return;
            }
            if (visitor.link().isPresent() && in.method().equals("GET")) {
                keep(visitor.link().get(), in, response, callback);
                return;
            }
            Passage passage =
                    new Passage(request, response, rewritten, body, new CookieRule(host), visit, spares, watch);
            goesOn = passage.pass(callback);
        } finally {
            if (!goesOn) {
                visit.close();
            }
        }
    }

    /** A link is not for the address line, nor for those to whom a page leads: it moves into a cookie. */
    private static void keep(String link, Incoming in, Response response, Callback callback) {
        response.getHeaders().add(HttpHeader.SET_COOKIE, LinkCookie.keeping(link, in.secure()));
        response.getHeaders().put(HttpHeader.CACHE_CONTROL, "no-store");
        response.setStatus(HttpStatus.SEE_OTHER_303);
        // With the host, since a path may begin as another host's name would.
        String origin = (in.secure() ? "https://" : "http://") + in.authority();
        response.getHeaders().put(HttpHeader.LOCATION, origin + LinkQuery.without(in.target()));
        response.write(true, BufferUtil.EMPTY_BUFFER, callback);
    }

    private static void redirect(Response response, String url, Callback callback) {
        response.setStatus(HttpStatus.PERMANENT_REDIRECT_308);
        response.getHeaders().put(HttpHeader.LOCATION, url);
        response.write(true, BufferUtil.EMPTY_BUFFER, callback);
    }

    private static BoxdException noBox(String host) {
        String label = host.substring(0, Math.max(0, host.indexOf('.')));
        return VisitOrder.nobody(label);
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
