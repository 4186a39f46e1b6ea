package io.boxd.proxy;

import java.util.List;

/**
 * Something that serves in a box, as one of the many programs that read HTTP: answers with the path of the request, and
 * remembers what it has taken for requests.
 */
interface TestingBackend extends AutoCloseable {
    int port();

    /** Everything it took for a request so far. */
    List<Seen> seen();

    @Override
    void close();

    /**
     * Something that was taken for a request.
     *
     * @param stamped whether the door has said of it where it comes from
     */
    record Seen(String path, boolean stamped) {}
}
