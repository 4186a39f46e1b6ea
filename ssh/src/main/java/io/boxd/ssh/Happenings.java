package io.boxd.ssh;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What happens to a conversation besides its streams; kept until somebody listens, told on a thread that may wait. */
final class Happenings {
    private final SerialWork telling = new SerialWork("ssh-happenings", SshLimits.SIGNALS_WAITING);
    private final Deque<Consumer<Conversation.Listener>> early = new ArrayDeque<>();
    private Conversation.@Nullable Listener listener;
    private boolean left;

    boolean resized(Conversation.Terminal terminal) {
        return tell(to -> to.resized(terminal));
    }

    boolean signalled(String name) {
        return tell(to -> to.signalled(name));
    }

    /** Only the first time; nothing follows. */
    synchronized void left(Leaving how) {
        if (!left) {
            left = true;
            Conversation.Listener known = listener;
            if (known == null) {
                early.add(to -> to.left(how));
            } else {
                // On a thread of its own, since it must be heard however much else waits.
                Thread.ofVirtual().name("ssh-leaving").start(() -> known.left(how));
            }
        }
    }

    private synchronized boolean tell(Consumer<Conversation.Listener> happening) {
        if (left) {
            return false;
        }
        Conversation.Listener known = listener;
        if (known != null) {
            return telling.add(() -> happening.accept(known));
        }
        return early.size() < SshLimits.SIGNALS_WAITING && early.add(happening);
    }

    synchronized void listen(Conversation.Listener newListener) {
        listener = newListener;
        for (Consumer<Conversation.Listener> each = early.pollFirst(); each != null; each = early.pollFirst()) {
            Consumer<Conversation.Listener> happening = each;
            telling.add(() -> happening.accept(newListener));
        }
    }
}
