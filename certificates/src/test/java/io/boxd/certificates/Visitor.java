package io.boxd.certificates;

import io.boxd.trust.Trust;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/** Somebody who comes with TLS to a door that shows what it is given, by a name. */
final class Visitor {
    private static final InetAddress HERE = InetAddress.getLoopbackAddress();
    private static final int PATIENCE_MILLIS = 20_000;

    private final SSLContext door;

    Visitor(SSLContext door) {
        this.door = door;
    }

    /** What is shown for this name; throws unless it is right for it and of that authority. */
    X509Certificate believe(String host, X509Certificate authority) throws Exception {
        SSLParameters parameters = new SSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        parameters.setServerNames(List.of(new SNIHostName(host)));
        return visit(host, Trust.asking(List.of(authority)), parameters);
    }

    private X509Certificate visit(String host, SSLContext client, SSLParameters parameters) throws Exception {
        CompletableFuture<Void> served;
        X509Certificate shown;
        try (ServerSocket listener = door.getServerSocketFactory().createServerSocket(0, 1, HERE)) {
            listener.setSoTimeout(PATIENCE_MILLIS);
            served = CompletableFuture.runAsync(() -> serve(listener));
            try (SSLSocket socket = (SSLSocket) client.getSocketFactory()
                    .createSocket(new Socket(HERE, listener.getLocalPort()), host, 443, true)) {
                socket.setSoTimeout(PATIENCE_MILLIS);
                socket.setSSLParameters(parameters);
                socket.startHandshake();
                shown = (X509Certificate) socket.getSession().getPeerCertificates()[0];
            }
        }
        served.get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        return shown;
    }

    private static void serve(ServerSocket listener) {
        try (SSLSocket socket = (SSLSocket) listener.accept()) {
            socket.setSoTimeout(PATIENCE_MILLIS);
            socket.startHandshake();
            socket.getInputStream().read();
        } catch (IOException _) {
            // The client did not believe it, or has seen enough.
        }
    }
}
