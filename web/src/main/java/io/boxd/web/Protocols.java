package io.boxd.web;

import javax.net.ssl.SSLContext;
import org.eclipse.jetty.alpn.server.ALPNServerConnectionFactory;
import org.eclipse.jetty.http.HttpCompliance;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.http2.server.AbstractHTTP2ServerConnectionFactory;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.http2.server.HTTP2ServerConnectionFactory;
import org.eclipse.jetty.io.WindowRateControl;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.ssl.SslContextFactory;

/** What is spoken at the ports, and how strictly. */
final class Protocols {
    private Protocols() {}

    /** HTTP/1.1, and HTTP/2 by those who know before that it is spoken. */
    static ConnectionFactory[] plain() {
        HttpConfiguration http = http();
        return new ConnectionFactory[] {
            new HttpConnectionFactory(http), bounded(new HTTP2CServerConnectionFactory(http))
        };
    }

    /** The same behind TLS, as the client chooses. */
    static ConnectionFactory[] secured(SSLContext context) {
        SslContextFactory.Server tls = new SslContextFactory.Server();
        tls.setSslContext(context);
        tls.setIncludeProtocols("TLSv1.3", "TLSv1.2");
        HttpConfiguration http = http();
        SecureRequestCustomizer customizer = new SecureRequestCustomizer();
        // Who a request is for is said by its host name, and one certificate may be for several.
        customizer.setSniHostCheck(false);
        http.addCustomizer(customizer);
        HttpConnectionFactory old = new HttpConnectionFactory(http);
        ALPNServerConnectionFactory choice = new ALPNServerConnectionFactory();
        choice.setDefaultProtocol(old.getProtocol());
        return new ConnectionFactory[] {
            new SslConnectionFactory(tls, choice.getProtocol()),
            choice,
            bounded(new HTTP2ServerConnectionFactory(http)),
            old
        };
    }

    /** Nothing that two programs could read in two ways; headers are kept as they were written. */
    private static HttpConfiguration http() {
        HttpConfiguration http = new HttpConfiguration();
        http.setRequestHeaderSize(WebLimits.HEADER_BYTES);
        http.setSendServerVersion(false);
        http.setSendDateHeader(false);
        http.setHeaderCacheCaseSensitive(true);
        http.setHttpCompliance(HttpCompliance.RFC9110);
        // Paths are read by sites: what is odd for one may be what another's box wants.
        http.setUriCompliance(UriCompliance.UNSAFE);
        http.setNotifyForbiddenComplianceViolations(false);
        return http;
    }

    private static <T extends AbstractHTTP2ServerConnectionFactory> T bounded(T factory) {
        factory.setConnectProtocolEnabled(false);
        factory.setMaxConcurrentStreams(WebLimits.STREAMS_PER_CONNECTION);
        factory.setInitialStreamRecvWindow(WebLimits.STREAM_WINDOW_BYTES);
        factory.setInitialSessionRecvWindow(WebLimits.CONNECTION_WINDOW_BYTES);
        factory.setRateControlFactory(new WindowRateControl.Factory(WebLimits.FRAMES_OF_CONTROL_PER_SECOND));
        return factory;
    }
}
