package io.boxd.proxy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.eclipse.jetty.http.HttpCompliance;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;

/** Jetty with its most lenient rules. */
final class JettyBackend implements TestingBackend {
    private final List<Seen> seen = new CopyOnWriteArrayList<>();
    private final Server server = new Server();
    private final ServerConnector connector;

    JettyBackend() throws Exception {
        HttpConfiguration http = new HttpConfiguration();
        http.setHttpCompliance(HttpCompliance.RFC2616_LEGACY);
        http.setUriCompliance(UriCompliance.UNSAFE);
        connector = new ServerConnector(server, 1, 1, new HttpConnectionFactory(http));
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        server.setHandler(new Handler.Abstract() {
            @Override
            public boolean handle(Request request, Response response, Callback callback) throws Exception {
                String path = request.getHttpURI().getPathQuery();
                seen.add(new Seen(path, request.getHeaders().contains("X-Forwarded-Host")));
                Content.Source.asString(request);
                response.write(true, ByteBuffer.wrap(path.getBytes(StandardCharsets.UTF_8)), callback);
                return true;
            }
        });
        server.start();
    }

    @Override
    public int port() {
        return connector.getLocalPort();
    }

    @Override
    public List<Seen> seen() {
        return seen;
    }

    @Override
    public void close() {
        try {
            server.stop();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
