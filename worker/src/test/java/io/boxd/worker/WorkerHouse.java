package io.boxd.worker;

import io.boxd.common.Deadline;
import io.boxd.guest.CommandOutput;
import io.boxd.guest.ExecRequest;
import io.boxd.guest.ExitStatus;
import io.boxd.guest.image.Image;
import io.boxd.guest.image.ImageRecipe;
import io.boxd.guest.image.ImageStore;
import io.boxd.vmm.Accelerator;
import io.boxd.vmm.Base;
import io.boxd.vmm.Engine;
import io.boxd.vmm.EngineConfig;
import io.boxd.vmm.EngineRecord;
import io.boxd.vmm.Machine;
import io.boxd.vmm.MachineSize;
import io.boxd.vmm.Uplinks;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Engines for tests of the worker, in homes of their own. */
final class WorkerHouse {
    static final boolean LONG = Boolean.getBoolean("boxd.test.long");
    static final Path REPOSITORY = repository();

    private WorkerHouse() {}

    static Path cache() {
        return Path.of(System.getProperty("boxd.image.cache", "/var/cache/boxd"));
    }

    static Engine open(Path home, Path cache, EngineRecord record) {
        return open(home, cache, home.resolve("registry"), record, Uplinks.none());
    }

    static Engine open(Path home, Path cache, Path registry, EngineRecord record, Uplinks uplinks) {
        return Engine.open(
                new EngineConfig(
                        home,
                        cache,
                        registry,
                        REPOSITORY.resolve("target/release/boxd-launcher"),
                        REPOSITORY.resolve("target/shared/release/libboxd_readonly_base.so")),
                record,
                uplinks,
                Accelerator.TCG,
                Deadline.inSeconds(120));
    }

    static Base base(Engine engine, Path cache) {
        Image tiny = new ImageStore(cache)
                .obtain(
                        ImageRecipe.tiny(),
                        REPOSITORY.resolve("target/release/boxd-agent"),
                        line -> {},
                        Deadline.inSeconds(600));
        return engine.base(
                tiny,
                new MachineSize(1, 256 * MachineSize.MIB, 256 * MachineSize.MIB),
                line -> {},
                Deadline.inSeconds(300));
    }

    /** What the names of an instance's control groups hold. */
    static String instance(Path home) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256")
                    .digest(home.toAbsolutePath().normalize().toString().getBytes(StandardCharsets.UTF_8));
            return "boxd-" + HexFormat.of().formatHex(hash).substring(0, 6);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    /** Runs a shell command that must succeed and returns what it printed. */
    static String sh(Machine machine, String command) {
        CommandOutput output = machine.agent().run(ExecRequest.argv("/bin/sh", "-c", command), Deadline.inSeconds(120));
        if (!output.status().equals(new ExitStatus.Exited(0))) {
            throw new AssertionError(
                    command + " → " + output.status() + "\n" + output.stdoutText() + output.stderrText());
        }
        return output.stdoutText().strip();
    }

    private static Path repository() {
        Path at = Path.of("").toAbsolutePath();
        while (!Files.exists(at.resolve("Cargo.toml"))) {
            at = at.getParent();
            if (at == null) {
                throw new IllegalStateException("run from inside the repository");
            }
        }
        return at;
    }
}
