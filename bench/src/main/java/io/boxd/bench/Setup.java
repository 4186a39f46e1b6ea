package io.boxd.bench;

import io.boxd.common.Deadline;
import io.boxd.guest.CommandOutput;
import io.boxd.guest.ExecRequest;
import io.boxd.guest.image.Image;
import io.boxd.guest.image.ImageRecipe;
import io.boxd.guest.image.ImageStore;
import io.boxd.linux.FileOwner;
import io.boxd.network.WireConfig;
import io.boxd.vmm.Engine;
import io.boxd.vmm.EngineConfig;
import io.boxd.vmm.Identity;
import io.boxd.vmm.Machine;
import io.boxd.vmm.ProbeResult;
import io.boxd.vmm.TransientRecord;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** An engine in a home of its own, with the default image, removed again at the end. */
final class Setup implements AutoCloseable {
    private final Path home;
    private final Engine engine;
    private final Image tiny;
    private final Image image;
    private final Path repository;
    private final Path cache;

    Setup(Path repository, Path cache, Consumer<String> progress) throws IOException {
        this.repository = repository;
        this.cache = cache;
        home = Files.createTempDirectory("boxd-bench-");
        Path agent = agent();
        EngineConfig config = config(home);
        ImageStore images = new ImageStore(cache);
        tiny = images.obtain(ImageRecipe.tiny(), agent, progress, Deadline.inSeconds(600));
        ProbeResult probe = Engine.chooseAccelerator(config, tiny, Deadline.inSeconds(120));
        progress.accept(probe.accelerator() + ": " + probe.reason());
        engine = Engine.open(config, new TransientRecord(), probe.accelerator(), Deadline.inSeconds(60));
        image = images.obtain(ImageRecipe.base(), agent, progress, Deadline.inSeconds(1200));
    }

    /** Where built images are kept between runs. */
    static Path imageCache() {
        return Path.of(System.getProperty("boxd.image.cache", "/var/cache/boxd"));
    }

    /** What runs in machines. */
    Path agent() {
        return repository.resolve("target/release/boxd-agent");
    }

    /** Of an engine in another home, with the same helpers. */
    EngineConfig config(Path otherHome) {
        return new EngineConfig(
                otherHome,
                cache,
                registry(),
                repository.resolve("target/release/boxd-launcher"),
                repository.resolve("target/shared/release/libboxd_readonly_base.so"));
    }

    /** Where this run's engines agree on what is scarce. */
    Path registry() {
        return home.resolve("registry");
    }

    /** Only the host is to be reached, so that no interface of it needs to be switched to forwarding. */
    WireConfig wires(Path otherHome) {
        WireConfig usual = WireConfig.of(otherHome, registry(), 0);
        return new WireConfig(
                otherHome,
                usual.registry(),
                usual.range(),
                usual.pool(),
                List.of("lo"),
                List.of(),
                usual.resolverPort(),
                usual.connections());
    }

    Engine engine() {
        return engine;
    }

    /** The smallest image, which has busybox. */
    Image tiny() {
        return tiny;
    }

    Image image() {
        return image;
    }

    static List<Identity> identities(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> Identity.fresh("bench-" + i, 1))
                .toList();
    }

    /** The command whose output ends every "ready" figure. */
    static void firstCommand(Machine machine) {
        run(machine, "echo ready");
    }

    static String run(Machine machine, String command) {
        CommandOutput output = machine.agent().run(ExecRequest.argv("/bin/sh", "-c", command), Deadline.inSeconds(300));
        String text = new String(output.stdout(), StandardCharsets.UTF_8).strip();
        if (text.isEmpty()) {
            throw new IllegalStateException(command + " printed nothing: " + output.status());
        }
        return text;
    }

    @Override
    public void close() {
        engine.close();
        FileOwner.deleteTree(home);
    }
}
