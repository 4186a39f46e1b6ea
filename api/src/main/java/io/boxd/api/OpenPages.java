package io.boxd.api;

import java.util.Optional;
import java.util.function.Function;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** Answers for the few pages that are for everybody, under whatever name, before anybody asks who they are. */
final class OpenPages extends Handler.Wrapper {
    private final Function<String, Optional<String>> pages;

    OpenPages(Handler next, Function<String, Optional<String>> pages) {
        super(next);
        this.pages = pages;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        boolean read = HttpMethod.GET.is(request.getMethod()) && !request.isSecure();
        Optional<String> page = read ? pages.apply(Request.getPathInContext(request)) : Optional.empty();
        if (page.isEmpty()) {
            return super.handle(request, response, callback);
        }
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, "text/plain");
        Content.Sink.write(response, true, page.get(), callback);
        return true;
    }
}
