package io.boxd.vmm;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.guest.AgentConnection;
import io.boxd.guest.CommandOutput;
import io.boxd.guest.ExecRequest;
import io.boxd.guest.image.Image;
import io.boxd.guest.image.ImageRecipe;
import io.boxd.guest.image.ImageStore;
import io.boxd.linux.FileOwner;
import io.boxd.linux.Seal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The engine that all tests of one run share, in a home of its own, with images from the shared cache.
 *
 * <p>Made on first use; {@code NothingIsLeftTest}, which runs last, closes it and looks around.
 */
final class TestHouse {
    static final Path REPOSITORY = repository();
    static final boolean LONG = Boolean.getBoolean("boxd.test.long");

    private static @Nullable TestHouse instance;

    private final Path home;
    private final Engine engine;
    private final ImageStore images;

    private TestHouse() throws IOException {
        home = Files.createTempDirectory("boxd-test-");
        Path cache = Path.of(System.getProperty("boxd.image.cache", "/var/cache/boxd"));
        engine = Engine.open(
                config(home, cache, release("boxd-launcher")),
                new TransientRecord(),
                Accelerator.TCG,
                Deadline.inSeconds(60));
        images = new ImageStore(cache);
    }

    static synchronized TestHouse get() {
        if (instance == null) {
            try {
                instance = new TestHouse();
            } catch (IOException e) {
                throw new IllegalStateException("cannot make a home for tests", e);
            }
        }
        return instance;
    }

    static EngineConfig config(Path home, Path cache, Path launcher) {
        return new EngineConfig(
                home,
                cache,
                home.resolve("registry"),
                launcher,
                REPOSITORY.resolve("target/shared/release/libboxd_readonly_base.so"));
    }

    static Path release(String name) {
        return REPOSITORY.resolve("target/release").resolve(name);
    }

    /** A store of layers by itself, in the folder {@code layers} of a home. */
    static LayerStore layerStore(Path home) {
        return new LayerStore(
                home.resolve("layers"),
                Checks.open(
                        home.resolve("checked"),
                        Seal.open(FileOwner.folder(home).resolve("key")),
                        true));
    }

    Path home() {
        return home;
    }

    Engine engine() {
        return engine;
    }

    Image tiny() {
        return image(ImageRecipe.tiny());
    }

    Image debian() {
        return image(ImageRecipe.base());
    }

    private Image image(ImageRecipe recipe) {
        return images.obtain(recipe, release("boxd-agent"), line -> {}, Deadline.inSeconds(900));
    }

    /** The base that most tests use: boots in a second or two, small. */
    Base tinyBase() {
        return base(tiny(), new MachineSize(1, 256 * MachineSize.MIB, 256 * MachineSize.MIB));
    }

    /** A real distribution with two processors. */
    Base debianBase() {
        return base(debian(), new MachineSize(2, MachineSize.GIB, 100 * MachineSize.GIB));
    }

    Base base(Image image, MachineSize size) {
        return engine.base(image, size, line -> {}, Deadline.inSeconds(300));
    }

    Machine start(Base base) {
        return engine.start(base, Identity.fresh("test", 1), Deadline.inSeconds(60));
    }

    List<Machine> fork(Machine source, int count) {
        List<Identity> identities = java.util.stream.IntStream.range(0, count)
                .mapToObj(i -> Identity.fresh("fork-" + i, 2))
                .toList();
        return engine.fork(source, identities, Deadline.inSeconds(120)).machines();
    }

    Machine fork(Machine source) {
        return fork(source, 1).getFirst();
    }

    /** Runs a shell command that must succeed and returns what it printed. */
    static String sh(Machine machine, String command) {
        try {
            return sh(machine.agent(), command);
        } catch (BoxdException e) {
            throw machine.cell().explained(e);
        }
    }

    static String sh(AgentConnection agent, String command) {
        CommandOutput output = agent.run(ExecRequest.argv("/bin/sh", "-c", command), Deadline.inSeconds(120));
        if (!output.status().equals(new io.boxd.guest.ExitStatus.Exited(0))) {
            throw new AssertionError(
                    command + " → " + output.status() + "\n" + output.stdoutText() + output.stderrText());
        }
        return output.stdoutText().strip();
    }

    /** Asks again and again, for something that has no event of its own. */
    static void await(Duration allowed, BooleanSupplier condition) {
        Deadline deadline = Deadline.in(allowed);
        while (!condition.getAsBoolean()) {
            if (deadline.passed()) {
                throw deadline.exceeded("what a test waits for");
            }
            LockSupport.parkNanos(20_000_000);
        }
    }

    /** Closes the engine; what is left afterwards is a leak. */
    static synchronized void close() {
        if (instance != null) {
            instance.engine.close();
            instance = null;
        }
    }

    static void deleteHome(Path home) {
        FileOwner.deleteTree(home);
    }

    private static Path repository() {
        Path at = Path.of("").toAbsolutePath();
        while (!Files.exists(at.resolve("Cargo.toml"))) {
            at = at.getParent();
            if (at == null) {
                throw new BoxdException(io.boxd.common.ErrorCode.NOT_FOUND, "run from inside the repository");
            }
        }
        return at;
    }
}
