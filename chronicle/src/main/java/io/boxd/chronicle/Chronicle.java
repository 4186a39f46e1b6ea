package io.boxd.chronicle;

import java.net.InetAddress;
import java.nio.file.Path;
import java.util.function.Function;
import java.util.function.Predicate;

/** Everything that an instance remembers of what happened. */
public interface Chronicle extends AutoCloseable {
    /**
     * Opens what is in the home, or begins.
     *
     * @param body an event as webhooks are told of it
     * @param allowed which addresses webhooks may have
     */
    static Chronicle open(Path home, Function<Event, String> body, Predicate<InetAddress> allowed) {
        return ChronicleFolders.open(home, body, allowed);
    }

    Audit audit();

    Feed feed();

    Webhooks webhooks();

    /** Whatever was handed over is on disk afterwards. */
    @Override
    void close();
}
