package io.boxd.cli;

/**
 * What was copied.
 *
 * @param skipped things that cannot or may not be copied: devices, links that lead out
 */
record Copied(long bytes, long entries, long skipped) {}
