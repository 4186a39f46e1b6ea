package io.boxd.proxy;

/**
 * Under a real domain boxes are visited with TLS only, and browsers are told to remember that.
 *
 * @param port at which TLS is spoken
 */
record SecureOnly(int port) {
    private static final int USUAL_PORT = 443;

    /** Where a request is sent that came without. */
    String url(String host, String target) {
        return "https://" + host + (port == USUAL_PORT ? "" : ":" + port) + target;
    }

    /** For a year; of this host and no other. */
    String promise() {
        return "max-age=31536000";
    }
}
