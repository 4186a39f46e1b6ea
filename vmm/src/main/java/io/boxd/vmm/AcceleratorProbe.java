package io.boxd.vmm;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.guest.CommandOutput;
import io.boxd.guest.ExecRequest;
import io.boxd.guest.ExitStatus;
import io.boxd.guest.image.Image;
import io.boxd.linux.FileOwner;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Optional;

/**
 * Finds out whether machines can run with hardware virtualisation here, by running one.
 *
 * <p>The device alone proves nothing: there are hosts on which QEMU opens it and then aborts, or waits
 * for ever. So a jailed machine has to boot with it, as every machine does, and compute something; it
 * is ended whatever happens. Anything else means emulation.
 */
final class AcceleratorProbe {
    private static final Duration LONGEST = Duration.ofSeconds(10);

    private final EngineConfig config;
    private final Path device;
    private final AcceleratorMemory memory;

    AcceleratorProbe(EngineConfig config) {
        this(config, Path.of("/dev/kvm"));
    }

    /** With another device, for tests. */
    AcceleratorProbe(EngineConfig config, Path device) {
        this.config = config;
        this.device = device;
        this.memory = new AcceleratorMemory(config.cache());
    }

    ProbeResult probe(Image tiny, Deadline deadline) {
        Optional<String> obstacle = obstacle();
        if (obstacle.isPresent()) {
            // Not worth remembering: cheap to find out, and quickly mended by loading a module.
            return new ProbeResult(Accelerator.TCG, obstacle.get(), false);
        }
        HostKey host = HostFacts.key(
                new QemuBundles(config.bundles(), config.ownBundles(), config.preload()).ofHost(deadline));
        return memory.recall(host).orElseGet(() -> {
            ProbeResult result = tryOut(tiny, deadline.orSooner(LONGEST));
            memory.remember(host, result);
            return result;
        });
    }

    private Optional<String> obstacle() {
        if (!Files.exists(device)) {
            return Optional.of("no " + device);
        }
        try (FileChannel opened = FileChannel.open(device, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            assert opened.isOpen();
            return Optional.empty();
        } catch (IOException e) {
            return Optional.of("cannot open " + device + ": " + Printable.of(String.valueOf(e.getMessage())));
        }
    }

    private ProbeResult tryOut(Image tiny, Deadline deadline) {
        EngineConfig own = config.forProbe();
        long allowedSeconds = Math.ceilDiv(deadline.leftMillis(), 1000L);
        long start = System.nanoTime();
        // Outside of the try: an engine that does not open says nothing about the accelerator.
        Engine engine = Engine.open(own, new TransientRecord(), Accelerator.KVM, deadline);
        try (engine) {
            compute(engine, tiny, deadline);
        } catch (BoxdException e) {
            return new ProbeResult(Accelerator.TCG, reason(e, allowedSeconds), false);
        } finally {
            FileOwner.deleteTree(own.home());
        }
        long millis = Duration.ofNanos(System.nanoTime() - start).toMillis();
        return new ProbeResult(Accelerator.KVM, "a machine booted and ran a command within " + millis + " ms", false);
    }

    private static void compute(Engine engine, Image tiny, Deadline deadline) {
        MachineSize size = new MachineSize(1, 256 * MachineSize.MIB, 256 * MachineSize.MIB);
        try (Machine machine = engine.boot(tiny, size, Identity.fresh("probe", 0), deadline)) {
            CommandOutput output = machine.agent().run(ExecRequest.argv("/bin/sh", "-c", "echo $((6 * 7))"), deadline);
            if (!output.status().equals(new ExitStatus.Exited(0))
                    || !output.stdoutText().equals("42\n")) {
                throw new BoxdException(
                        ErrorCode.UNAVAILABLE,
                        "the guest computed wrongly: " + output.status() + ", " + Printable.of(output.stdoutText()));
            }
        }
    }

    private static String reason(BoxdException failure, long allowedSeconds) {
        return failure.code() == ErrorCode.TIMEOUT
                ? "the guest did not answer within " + allowedSeconds + " s (" + failure.getMessage() + ")"
                : String.valueOf(failure.getMessage());
    }
}
