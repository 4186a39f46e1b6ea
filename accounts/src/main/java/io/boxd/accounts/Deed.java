package io.boxd.accounts;

import io.boxd.verbs.Right;
import io.boxd.verbs.Verb;

/**
 * What somebody wants to do.
 *
 * @param verb by its name; requests about files are those that {@code cp} is made of
 */
public record Deed(String verb, Right right) {
    private static final String COPYING = "cp";

    public static Deed of(Verb verb) {
        return new Deed(verb.name(), verb.right());
    }

    /** Files out of a box. */
    public static Deed readingFiles() {
        return new Deed(COPYING, Right.READ);
    }

    /** Files into a box. */
    public static Deed writingFiles() {
        return new Deed(COPYING, Right.USE);
    }

    boolean reads() {
        return right.reads();
    }
}
