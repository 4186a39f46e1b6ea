package io.boxd.chronicle;

import io.boxd.linux.FileOwner;
import io.boxd.linux.Seal;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.function.Function;
import java.util.function.Predicate;

/** Everything that an instance remembers of what happened, in three folders of its home. */
public final class Chronicle implements AutoCloseable {
    private final Audit audit;
    private final Feed feed;
    private final Webhooks webhooks;

    private Chronicle(Audit audit, Feed feed, Webhooks webhooks) {
        this.audit = audit;
        this.feed = feed;
        this.webhooks = webhooks;
    }

    /**
     * Opens what is in the home, or begins.
     *
     * @param body an event as webhooks are told of it
     * @param allowed which addresses webhooks may have
     */
    public static Chronicle open(Path home, Function<Event, String> body, Predicate<InetAddress> allowed) {
        FileOwner.folder(home);
        Audit audit = Audit.open(home.resolve("audit"), Seal.open(home.resolve("audit.key")));
        try {
            Feed feed = Feed.open(home.resolve("events"));
            try {
                WebhookStore store = new WebhookFolder(home.resolve("webhooks"));
                return new Chronicle(audit, feed, Webhooks.open(store, feed, body, allowed));
            } catch (RuntimeException e) {
                feed.close();
                throw e;
            }
        } catch (RuntimeException e) {
            audit.close();
            throw e;
        }
    }

    public Audit audit() {
        return audit;
    }

    public Feed feed() {
        return feed;
    }

    public Webhooks webhooks() {
        return webhooks;
    }

    /** Whatever was handed over is on disk afterwards. */
    @Override
    public void close() {
        try {
            webhooks.close();
        } finally {
            try {
                feed.close();
            } finally {
                audit.close();
            }
        }
    }
}
