package io.boxd.trials;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Clients that all work at once at one door, each in an organisation of its own. */
final class Crowd implements AutoCloseable {
    private final Door door = new Door();
    private final List<MixedClient> clients = new ArrayList<>();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final List<CompletableFuture<Void>> working = new ArrayList<>();

    Crowd(int size, Random random, Api api, String url) throws IOException, InterruptedException {
        for (int i = 0; i < size; i++) {
            String name = "client-" + i;
            api.must(url, Api.Request.post("/organisations", Map.of("name", name)));
            clients.add(new MixedClient(name, random.nextLong(), door, api));
        }
        clients.forEach(client -> working.add(CompletableFuture.runAsync(() -> work(client), threads)));
    }

    private void work(MixedClient client) {
        try {
            client.work();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | AssertionError e) {
            door.fail(e);
        }
    }

    List<MixedClient> clients() {
        return clients;
    }

    void admit(String url) {
        door.open(url);
    }

    void shutOut() {
        door.shut();
    }

    /** Until each has noticed that there is no server. */
    void awaitOutside() throws InterruptedException {
        door.awaitWaiting(clients.size());
    }

    /** Lets all finish what they do. */
    void end(String url) {
        door.end();
        door.open(url);
        working.forEach(CompletableFuture::join);
        door.requireNoFailure();
    }

    int acknowledged() {
        return clients.stream()
                .mapToInt(client -> client.journal().acknowledged())
                .sum();
    }

    int repeated() {
        return clients.stream().mapToInt(MixedClient::repeated).sum();
    }

    @Override
    public void close() {
        threads.shutdownNow();
        threads.close();
    }
}
