package io.boxd.cli;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.lang.reflect.Proxy;
import org.jspecify.annotations.Nullable;

/**
 * Signals of this process. Java has nothing for them but {@code sun.misc.Signal}, and its compiler warns of that in a
 * way that cannot be switched off while warnings are errors: so it is called by name, here and nowhere else.
 */
final class Signals {
    private Signals() {}

    /** Runs the action on a thread of its own each time the signal comes, instead of what it does by default. */
    static void on(String name, Runnable action) {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            Object running = Proxy.newProxyInstance(
                    Signals.class.getClassLoader(),
                    new Class<?>[] {handler},
                    (self, method, arguments) -> handled(method.getName(), self, action));
            signal.getMethod("handle", signal, handler)
                    .invoke(null, signal.getConstructor(String.class).newInstance(name), running);
        } catch (ReflectiveOperationException e) {
            throw new BoxdException(ErrorCode.INTERNAL, "this Java cannot handle the signal " + name, e);
        }
    }

    private static @Nullable Object handled(String method, Object self, Runnable action) {
        return switch (method) {
            case "handle" -> {
                action.run();
                yield null;
            }
            case "hashCode" -> System.identityHashCode(self);
            case "equals" -> false;
            default -> "handler";
        };
    }
}
