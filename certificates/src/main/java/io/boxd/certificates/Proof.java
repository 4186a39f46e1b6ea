package io.boxd.certificates;

/** How it is proved to a certificate authority that a name is ours. */
public enum Proof {
    /** By a record of DNS, which our own server answers; the only one for wildcards. */
    DNS,
    /** By a page at the name itself, on port 80. */
    HTTP
}
