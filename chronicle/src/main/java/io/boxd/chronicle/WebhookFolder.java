package io.boxd.chronicle;

import io.boxd.common.Json;
import io.boxd.linux.Durable;
import io.boxd.linux.FileOwner;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Webhooks as files that only their owner can read; each change lasts when it returns. */
final class WebhookFolder implements WebhookStore {
    private static final String HOOK = ".json";
    private static final String CURSOR = ".cursor";
    private static final String DEAD = ".dead";
    private static final String PRIVATE = "rw-------";

    private final Path folder;

    WebhookFolder(Path folder) {
        this.folder = FileOwner.folder(folder);
    }

    /** The given up events of a webhook, as they are written down. */
    private record Letters(List<DeadLetter> letters) {}

    @Override
    public List<Webhook> all() {
        try (Stream<Path> entries = Files.list(folder)) {
            List<Webhook> hooks = new ArrayList<>();
            for (Path file :
                    entries.filter(path -> path.toString().endsWith(HOOK)).toList()) {
                hooks.add(Json.read(Files.readString(file), Webhook.class));
            }
            hooks.sort(Comparator.comparing(Webhook::createdAt).thenComparing(Webhook::id));
            return hooks;
        } catch (IOException e) {
            throw Durable.failure("cannot read the webhooks in " + folder, e);
        }
    }

    @Override
    public void add(Webhook hook, long cursor) {
        moveTo(hook.id(), cursor);
        write(hook.id() + HOOK, Json.write(hook));
    }

    @Override
    public void remove(String hook) {
        try {
            // The one without which the others mean nothing goes first.
            for (String part : List.of(HOOK, CURSOR, DEAD)) {
                Files.deleteIfExists(folder.resolve(hook + part));
                Durable.syncFolder(folder);
            }
        } catch (IOException e) {
            throw Durable.failure("cannot remove the webhook " + hook, e);
        }
    }

    @Override
    public long cursor(String hook) {
        return Long.parseLong(read(hook + CURSOR, "0").strip());
    }

    @Override
    public void moveTo(String hook, long cursor) {
        write(hook + CURSOR, cursor + "\n");
    }

    @Override
    public List<DeadLetter> dead(String hook) {
        return Json.read(read(hook + DEAD, "{\"letters\":[]}"), Letters.class).letters();
    }

    @Override
    public void dead(String hook, List<DeadLetter> letters) {
        write(hook + DEAD, Json.write(new Letters(letters)));
    }

    private String read(String name, String otherwise) {
        Path file = folder.resolve(name);
        try {
            return Files.exists(file) ? Files.readString(file) : otherwise;
        } catch (IOException e) {
            throw Durable.failure("cannot read " + file, e);
        }
    }

    private void write(String name, String text) {
        Path file = folder.resolve(name);
        try {
            Durable.replace(file, text.getBytes(StandardCharsets.UTF_8), PRIVATE);
        } catch (IOException e) {
            throw Durable.failure("cannot write " + file, e);
        }
    }
}
