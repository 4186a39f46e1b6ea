package io.boxd.inside;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.control.Control;
import java.security.cert.X509Certificate;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.websocket.server.ServerWebSocketContainer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Lets in whoever has a pass; there is nothing else to ask for. */
final class DoorHandler extends Handler.Abstract {
    private static final Logger LOG = LoggerFactory.getLogger(DoorHandler.class);

    private final Control control;
    private final Supplier<Optional<String>> obstacle;
    private final Function<EndPoint, DoorRights> rights;

    DoorHandler(Control control, Supplier<Optional<String>> obstacle, Function<EndPoint, DoorRights> rights) {
        this.control = control;
        this.obstacle = obstacle;
        this.rights = rights;
    }

    /** What the other side may say because of the certificate that it has shown; throws if it has none for doors. */
    static DoorRights rights(EndPoint other) {
        try {
            EndPoint.SslSessionData session = other.getSslSessionData();
            if (session != null
                    && session.sslSession().getPeerCertificates()[0] instanceof X509Certificate certificate) {
                return DoorRights.of(certificate);
            }
        } catch (SSLPeerUnverifiedException e) {
            throw new BoxdException(ErrorCode.UNAUTHENTICATED, "whoever connects has shown no certificate", e);
        }
        throw new BoxdException(ErrorCode.UNAUTHENTICATED, "whoever connects has shown no certificate");
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        DoorRights door;
        try {
            door = rights.apply(request.getConnectionMetaData().getConnection().getEndPoint());
        } catch (BoxdException e) {
            LOG.warn("refused at {}: {}", Request.getRemoteAddr(request), e.getMessage());
            Response.writeError(request, response, callback, HttpStatus.FORBIDDEN_403);
            return true;
        }
        boolean fits = InsideServer.PATH.equals(request.getHttpURI().getPath())
                && request.getHeaders()
                        .getCSV(HttpHeader.SEC_WEBSOCKET_SUBPROTOCOL, false)
                        .contains(InsideServer.PROTOCOL);
        boolean upgraded = fits
                && ServerWebSocketContainer.get(request.getContext())
                        .upgrade(
                                (_, answer, _) -> {
                                    answer.setAcceptedSubProtocol(InsideServer.PROTOCOL);
                                    return new DoorSocket(new Visits(control, obstacle, door));
                                },
                                request,
                                response,
                                callback);
        if (upgraded) {
            LOG.info("a door is here: {} from {}", door.doors(), Request.getRemoteAddr(request));
        } else {
            Response.writeError(request, response, callback, HttpStatus.NOT_FOUND_404);
        }
        return true;
    }
}
