package io.boxd.chronicle;

import io.boxd.linux.FileOwner;
import io.boxd.linux.Seal;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.function.Function;
import java.util.function.Predicate;

/** A chronicle in three folders of an instance's home. */
final class ChronicleFolders implements Chronicle {
    private final Audit audit;
    private final Feed feed;
    private final Webhooks webhooks;

    private ChronicleFolders(Audit audit, Feed feed, Webhooks webhooks) {
        this.audit = audit;
        this.feed = feed;
        this.webhooks = webhooks;
    }

    static Chronicle open(Path home, Function<Event, String> body, Predicate<InetAddress> allowed) {
        FileOwner.folder(home);
        Audit audit = Audit.open(home.resolve("audit"), Seal.open(home.resolve("audit.key")));
        try {
            Feed feed = Feed.open(home.resolve("events"));
            try {
                WebhookStore store = new WebhookFolder(home.resolve("webhooks"));
                return new ChronicleFolders(audit, feed, Webhooks.open(store, feed, body, allowed));
            } catch (RuntimeException e) {
                feed.close();
                throw e;
            }
        } catch (RuntimeException e) {
            audit.close();
            throw e;
        }
    }

    @Override
    public Audit audit() {
        return audit;
    }

    @Override
    public Feed feed() {
        return feed;
    }

    @Override
    public Webhooks webhooks() {
        return webhooks;
    }

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
