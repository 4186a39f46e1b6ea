package io.boxd.server;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.Json;
import io.boxd.control.ServerFacts;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Asks the server of this host how it is. */
final class LocalServer implements AutoCloseable {
    private static final Duration ANSWER = Duration.ofSeconds(5);
    private static final int OK = 200;
    private static final Duration LOOK = Duration.ofMillis(100);

    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(ANSWER)
            .build();
    private final CountDownLatch never = new CountDownLatch(1);

    /** What it says about itself. */
    record Answer(boolean ready, String words) {}

    Answer ready(ServerFacts server) {
        HttpRequest request = HttpRequest.newBuilder(URI.create(server.url() + "/readyz"))
                .timeout(ANSWER)
                .build();
        try {
            HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
            return response.statusCode() == OK ? new Answer(true, "") : new Answer(false, words(response.body()));
        } catch (IOException e) {
            return new Answer(false, "it does not answer at " + server.url());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Answer(false, "asking was interrupted");
        }
    }

    private static String words(String body) {
        try {
            return Json.read(body, ErrorAnswer.class).error().message();
        } catch (BoxdException e) {
            return "its answer is not understood";
        }
    }

    /** Waits a moment before the next question; false once there is no time for one. */
    boolean pause(Deadline deadline) {
        try {
            return !never.await(deadline.orSooner(LOOK).leftNanos(), TimeUnit.NANOSECONDS) && !deadline.passed();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}
