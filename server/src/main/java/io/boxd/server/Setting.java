package io.boxd.server;

import java.util.Locale;

/** Everything that can be configured: its key in the file, its variable, and what holds if nobody says. */
enum Setting {
    HOME("/var/lib/boxd"),
    IMAGE_CACHE("/var/cache/boxd"),
    REGISTRY("/var/lib/boxd-registry"),
    BIND("127.0.0.1"),
    HTTP_PORT("8080"),
    HTTPS_PORT("8443"),
    SSH_PORT("2222"),
    DOMAIN("boxd.localhost"),
    DNS_PORT("5354"),
    DNS_ADDRESSES(""),
    DNS_SERVERS(""),
    DNS_CERTIFIERS(""),
    ACME_DIRECTORY(""),
    ACME_CONTACTS(""),
    ACME_PROOF("dns"),
    ACME_BELIEVED(""),
    ACME_EXTERNAL_ID(""),
    ACME_EXTERNAL_KEY_FILE(""),
    IMAGE("base"),
    CPUS("2"),
    MEMORY("8G"),
    DISK("100G"),
    IDLE("30s"),
    HIBERNATE_AFTER("10m"),
    QUOTA_BOXES("10"),
    QUOTA_RUNNING(""),
    QUOTA_CPUS(""),
    QUOTA_MEMORY(""),
    QUOTA_DISK(""),
    QUOTA_SNAPSHOTS("1000"),
    LOGIN_ISSUER(""),
    LOGIN_CLIENT_ID(""),
    LOGIN_CLIENT_SECRET_FILE(""),
    LOGIN_ADMIT(""),
    UPLINKS(""),
    RATE_LIMIT("1000"),
    METRICS_OPEN("false"),
    OTLP_URL(""),
    WEBHOOKS_ALLOW_PRIVATE("false"),
    ROLES("control,worker,api"),
    INSIDE_BIND("127.0.0.1"),
    INSIDE_PORT("8442"),
    PASS("");

    private final String fallback;

    Setting(String fallback) {
        this.fallback = fallback;
    }

    String fallback() {
        return fallback;
    }

    /** As it is written in the file. */
    String key() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The environment's variable, which counts more than the file. */
    String variable() {
        return "BOXD_" + name();
    }
}
