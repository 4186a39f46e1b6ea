package io.boxd.verbs;

/** What a parameter's value is, and so how it is typed, checked and written as JSON. */
public enum ParameterType {
    /** Any text; a JSON string. */
    TEXT,
    /** A name that a box is to get. */
    NAME,
    /** A box that there is, by name or id. */
    BOX,
    /** A snapshot, by id or label. */
    SNAPSHOT,
    /** An execution, by id. */
    EXECUTION,
    /** A whole number from one; a JSON number. */
    COUNT,
    /** {@code 512M}, {@code 8G}; a JSON number of bytes. */
    SIZE,
    /** {@code 90}, {@code 30s}, {@code 10m}, {@code 2h}, {@code 7d}; a JSON number of seconds. */
    DURATION,
    /** A duration or {@code off}, which is the JSON number 0. */
    DURATION_OR_OFF,
    /** A duration, {@code exec} (a JSON string) or {@code off} (0): when checkpoints are made. */
    CHECKPOINTS,
    /** A place in something that grows, counted from its beginning; a JSON number from zero. */
    OFFSET,
    /** There or not; a JSON boolean. */
    FLAG,
    /** {@code K=V}, any number of them; a JSON object of strings. */
    VARIABLES,
    /** {@code k=v}, any number of them; a JSON object of strings. */
    LABELS,
    /** {@code k=v} or {@code k-}, any number of them; a JSON object of strings, null for those to be taken off. */
    LABEL_CHANGES,
    /** A signal's name or number; a JSON string. */
    SIGNAL,
    /** Everything up to the end of the line, untouched; a JSON array of strings. */
    WORDS,
    /** Any number of boxes that there are; a JSON array of strings. */
    BOXES,
    /** A file on the caller's side, whose content is sent; a JSON string. */
    FILE,
    /** A file in a box ({@code box:path}) or on the caller's side ({@code path}), or {@code -}. */
    PLACE;

    /** What anything that there is can be called by: a name, a label or an id. */
    public static final String REFERENCE_PATTERN = "[A-Za-z0-9][A-Za-z0-9_.-]{0,79}";

    /** Whether it takes all words that are left. */
    public boolean isMany() {
        return this == WORDS || this == BOXES || this == LABEL_CHANGES;
    }

    /** Whether its option may be said more than once. */
    public boolean isRepeated() {
        return this == VARIABLES || this == LABELS;
    }
}
