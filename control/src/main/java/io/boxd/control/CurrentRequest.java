package io.boxd.control;

import java.util.Optional;
import java.util.function.Supplier;

/** The request for which a thread is doing something, so that an event can say which one led to it. */
final class CurrentRequest {
    private static final ScopedValue<Optional<String>> ID = ScopedValue.newInstance();

    private CurrentRequest() {}

    /** What happens meanwhile, on this thread, happens because of what the caller has asked for. */
    static <T> T during(Caller caller, Supplier<T> work) {
        return ScopedValue.where(ID, caller.request()).call(work::get);
    }

    /** Nothing for what happens by itself. */
    static Optional<String> id() {
        return ID.isBound() ? ID.get() : Optional.empty();
    }
}
