package io.boxd.web;

import java.util.Locale;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/** Lets through to a site only what is meant for its hosts. */
final class SiteHandler extends Handler.Wrapper {
    private final Site site;

    SiteHandler(Site site, Handler handler) {
        super(handler);
        this.site = site;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        return site.serves(host(request.getHttpURI().getHost())) && super.handle(request, response, callback);
    }

    private static String host(@Nullable String said) {
        return said == null ? "" : said.toLowerCase(Locale.ROOT);
    }
}
