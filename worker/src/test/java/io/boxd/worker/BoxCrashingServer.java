package io.boxd.worker;

import io.boxd.common.BoxdException;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/**
 * A server that does one random thing to its boxes after the other until it is killed, and says what it
 * begins and what it has acknowledged.
 */
final class BoxCrashingServer {
    /** Each line leaves at once: what was said holds, however suddenly the end comes. */
    private static final PrintStream JOURNAL =
            new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);

    private static final int MOST_BOXES = 4;
    private static final int MOST_SNAPSHOTS = 3;

    private final HostBoxes boxes;
    private final Random random;

    private BoxCrashingServer(HostBoxes boxes, Random random) {
        this.boxes = boxes;
        this.random = random;
    }

    /** Arguments: home, cache, seed. */
    public static void main(String[] arguments) {
        Path home = Path.of(arguments[0]);
        WorkerConfig config = TestingBoxes.config(home, home.resolve("registry"), Path.of(arguments[1]));
        HostBoxes boxes =
                HostBoxes.open(config, Optional.empty(), HostView.real(), BoxWitness.none(), TestingBoxes.soon());
        BoxCrashingServer server = new BoxCrashingServer(boxes, new Random(Long.parseLong(arguments[2])));
        JOURNAL.println("ready");
        while (true) {
            server.act();
        }
    }

    private void act() {
        try {
            switch (random.nextInt(12)) {
                case 0, 1 -> create();
                case 2, 3 -> fork();
                case 4 -> move(Move.PAUSE);
                case 5 -> move(Move.HIBERNATE);
                case 6 -> move(Move.WAKE);
                case 7 -> snapshot();
                case 8 -> rollback();
                case 9 -> promote();
                case 10 -> any().ifPresent(box -> mark(box.name()));
                default -> destroy();
            }
        } catch (BoxdException e) {
            JOURNAL.println("failed " + e.getMessage());
            throw e;
        }
    }

    private void doing(String what, Runnable work) {
        JOURNAL.println("begin " + what);
        work.run();
        JOURNAL.println(what);
    }

    private Optional<Box> any() {
        List<Box> all = boxes.list();
        return all.isEmpty() ? Optional.empty() : Optional.of(all.get(random.nextInt(all.size())));
    }

    private String freshName() {
        return "b" + Long.toString(random.nextLong(1L << 40), 36);
    }

    private void create() {
        if (boxes.list().size() < MOST_BOXES) {
            String name = freshName();
            doing("new " + name, () -> boxes.create(TestingBoxes.order(name, TestingBoxes.AWAKE), TestingBoxes.soon()));
            mark(name);
        }
    }

    private void mark(String name) {
        int value = 1 + random.nextInt(1_000_000);
        doing("mark " + name + " " + value, () -> TestingBoxes.sh(boxes, name, "echo " + value + " > /tmp/mark"));
    }

    private void fork() {
        Optional<Box> source = any();
        if (source.isPresent() && boxes.list().size() < MOST_BOXES) {
            String name = freshName();
            doing(
                    "fork " + source.get().name() + " " + name,
                    () -> boxes.fork(
                            source.get().name(), new ForkOrder(List.of(name), false, Map.of()), TestingBoxes.soon()));
        }
    }

    private void move(Move move) {
        List<Box> fit = boxes.list().stream()
                .filter(box -> move != Move.PAUSE || box.status() != Status.HIBERNATED)
                .toList();
        if (!fit.isEmpty()) {
            Box box = fit.get(random.nextInt(fit.size()));
            doing("move " + box.name() + " " + move, () -> boxes.move(box.name(), move, TestingBoxes.soon()));
        }
    }

    private void snapshot() {
        Optional<Box> box = any();
        if (box.isPresent() && boxes.snapshots(Optional.empty()).size() < MOST_SNAPSHOTS) {
            String label = freshName();
            doing(
                    "snapshot " + box.get().name() + " " + label,
                    () -> boxes.snapshot(
                            box.get().name(), SnapshotOrder.saved(Optional.of(label)), TestingBoxes.soon()));
        }
    }

    private void rollback() {
        List<Runnable> ways = new ArrayList<>();
        for (Box box : boxes.list()) {
            boxes.snapshots(Optional.of(box.id())).stream()
                    .flatMap(kept -> kept.label().stream())
                    .forEach(label -> ways.add(() -> doing("rollback " + box.name() + " " + label, () -> {
                        KeptSnapshot left = boxes.rollback(box.name(), label, TestingBoxes.soon());
                        boxes.forgetSnapshot(left.id());
                    })));
        }
        if (!ways.isEmpty()) {
            ways.get(random.nextInt(ways.size())).run();
        }
    }

    private void promote() {
        List<Box> all = boxes.list();
        for (Box box : all) {
            Optional<Box> parent = all.stream()
                    .filter(one -> box.forkedFrom().equals(Optional.of(one.id())))
                    .findFirst();
            if (parent.isPresent()) {
                doing(
                        "promote " + box.name() + " " + parent.get().name(),
                        () -> boxes.promote(box.name(), TestingBoxes.soon()));
                return;
            }
        }
    }

    private void destroy() {
        List<KeptSnapshot> kept = boxes.snapshots(Optional.empty());
        if (!kept.isEmpty() && random.nextBoolean()) {
            KeptSnapshot one = kept.get(random.nextInt(kept.size()));
            doing("forget " + one.label().orElse("-"), () -> boxes.forgetSnapshot(one.id()));
        } else if (boxes.list().size() > 1) {
            any().ifPresent(box -> doing(
                    "destroy " + box.name(), () -> boxes.destroy(List.of(box.name()), false, TestingBoxes.soon())));
        }
    }
}
