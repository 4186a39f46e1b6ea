package io.boxd.certificates;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** What a witness has heard, one after the other. */
final class Heard implements CertificateWitness {
    private static final long PATIENCE_SECONDS = 60;

    private final BlockingQueue<String> all = new LinkedBlockingQueue<>();

    @Override
    public void issued(List<String> names, String issuer, Instant until) {
        all.add("issued " + String.join(" ", names));
    }

    @Override
    public void failed(List<String> names, String reason, Instant tryAgain) {
        all.add("failed " + String.join(" ", names) + ": " + reason);
    }

    @Override
    public void revoked(List<String> names) {
        all.add("revoked " + String.join(" ", names));
    }

    /** What comes next; fails if nothing does. */
    String next() throws InterruptedException {
        String next = all.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertThat(next).as("something happens to a certificate").isNotNull();
        return String.valueOf(next);
    }

    boolean isQuiet() {
        return all.isEmpty();
    }
}
