package io.boxd.control;

import io.boxd.accounts.Deed;
import io.boxd.accounts.Principal;
import io.boxd.common.BoxdException;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.WeakHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Streams that outlast the request that began them: they end when whoever began them may not have them any more. */
final class OpenStreams {
    private static final Logger LOG = LoggerFactory.getLogger(OpenStreams.class);

    private final Guard guard;

    /** Doors hold them for as long as they live. */
    private final Map<AutoCloseable, Right> open = Collections.synchronizedMap(new WeakHashMap<>());

    /** @param box that it is about, if it is about one */
    private record Right(Principal who, Deed deed, Optional<String> box) {}

    OpenStreams(Guard guard) {
        this.guard = guard;
    }

    <T extends AutoCloseable> T note(T stream, Principal who, Deed deed, Optional<String> box) {
        open.put(stream, new Right(who, deed, box));
        return stream;
    }

    /** After rights have changed. */
    void endWhatIsNotAllowed() {
        Map<AutoCloseable, Right> all;
        synchronized (open) {
            all = new HashMap<>(open);
        }
        all.forEach((stream, right) -> {
            if (!holds(right)) {
                open.remove(stream);
                end(stream);
            }
        });
    }

    private boolean holds(Right right) {
        try {
            var theirs = guard.boxes(guard.again(right.who()), right.deed());
            right.box().ifPresent(theirs::find);
            return true;
        } catch (BoxdException e) {
            return false;
        }
    }

    private static void end(AutoCloseable stream) {
        try {
            stream.close();
        } catch (Exception e) {
            LOG.warn("a stream could not be ended whose token was revoked", e);
        }
    }
}
