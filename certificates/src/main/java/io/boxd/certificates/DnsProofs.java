package io.boxd.certificates;

/** Where texts are shown for certificate authorities that look at DNS; what is shown must be seen at once. */
public interface DnsProofs {
    /** Shows a text at {@code _acme-challenge.} and this host, beside what is shown there already. */
    void show(String host, String text);

    void remove(String host, String text);

    /** For where nobody answers in DNS, and so nobody asks for proofs there. */
    static DnsProofs none() {
        return new DnsProofs() {
            @Override
            public void show(String host, String text) {
                throw new IllegalStateException("there is no DNS in which " + host + " could be proved");
            }

            @Override
            public void remove(String host, String text) {
                // It was never shown.
            }
        };
    }
}
