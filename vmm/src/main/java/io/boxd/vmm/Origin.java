package io.boxd.vmm;

import io.boxd.linux.PageRuns;

/**
 * Where a base that was made from a machine comes from.
 *
 * @param root the base of an image that everything goes back to
 * @param inherited the pages in which its memory file differs from the root's
 */
public record Origin(Base root, PageRuns inherited) {}
