package io.boxd.cli;

/** How large a terminal is. */
record WindowSize(int rows, int columns) {
    static final WindowSize USUAL = new WindowSize(24, 80);
}
