package io.boxd.worker;

import java.util.List;

/** Says whether more boxes may be awake; asked before each wakes, whoever wakes it. */
@FunctionalInterface
public interface Admission {
    /**
     * Throws if there is no share left for these.
     *
     * @param awake those that are awake, or are waking just now
     * @param more those that want to be
     */
    void require(List<Claim> awake, List<Claim> more);

    /** As many as the host can have. */
    static Admission unlimited() {
        return (_, _) -> {};
    }
}
