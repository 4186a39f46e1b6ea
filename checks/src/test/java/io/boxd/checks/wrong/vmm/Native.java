package io.boxd.checks.wrong.vmm;

import java.lang.foreign.MemorySegment;

/** Native memory outside the linux room. */
record Native(MemorySegment memory) {}
