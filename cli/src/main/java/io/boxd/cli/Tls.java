package io.boxd.cli;

import java.io.IOException;
import java.net.Socket;
import java.security.GeneralSecurityException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;

/**
 * TLS over a connection: before anything is said, the server has proved that it is the one that was asked for. Apart
 * from all else, since loading what Java needs for it takes longer than all else.
 */
final class Tls {
    private Tls() {}

    /** The same connection, encrypted; closing it closes that. */
    static Socket over(Socket plain, ServerAddress address) throws IOException {
        ServerUrl url = address.url();
        SSLSocket socket =
                (SSLSocket) context(address).getSocketFactory().createSocket(plain, url.host(), url.port(), true);
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        parameters.setProtocols(new String[] {"TLSv1.3", "TLSv1.2"});
        socket.setSSLParameters(parameters);
        socket.startHandshake();
        return socket;
    }

    private static SSLContext context(ServerAddress address) throws IOException {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[] {ServerTrust.of(address.authorities())}, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IOException("this Java has no TLS", e);
        }
    }
}
