package io.boxd.login;

import io.boxd.common.Deadline;

/** Somewhere people log in with a browser, while a terminal waits. */
public interface Issuer extends AutoCloseable {
    /** Asks for a login. */
    DeviceCode begin(Deadline deadline);

    /** Asks how far it is. */
    Progress poll(DeviceCode code, Deadline deadline);

    @Override
    default void close() {}
}
