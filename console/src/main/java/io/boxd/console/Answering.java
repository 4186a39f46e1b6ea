package io.boxd.console;

import io.boxd.verbs.Request;

/** Whoever answers verbs: a server far away, or control in this process. */
@FunctionalInterface
public interface Answering {
    /** The answer's JSON. */
    String answer(Request request);
}
