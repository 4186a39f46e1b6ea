package io.boxd.bench;

import io.boxd.common.Deadline;
import io.boxd.common.Json;
import io.boxd.guest.AgentConnection;
import io.boxd.guest.CommandOutput;
import io.boxd.guest.ExecRequest;
import io.boxd.guest.image.Image;
import io.boxd.linux.Command;
import io.boxd.linux.FileOwner;
import io.boxd.vmm.Accelerator;
import io.boxd.vmm.Host;
import io.boxd.vmm.MachineSize;
import io.boxd.vmm.Qmp;
import io.boxd.vmm.QmpEvent;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import tools.jackson.databind.node.ObjectNode;

/**
 * The baseline: cloning a machine with what QEMU itself offers, migration to a file and back.
 *
 * <p>Plain QEMU processes without jail, the same devices, one GiB of guest memory in use.
 */
final class MigrationClone implements AutoCloseable {
    private static final long IN_USE_MEGABYTES = 1024;

    private final Path folder = Files.createTempDirectory("boxd-migrate-");
    private final List<Process> processes = new ArrayList<>();
    private final Image image;
    private final MachineSize size;
    private final Host host;

    MigrationClone(Image image, MachineSize size, Host host) throws IOException {
        this.image = image;
        this.size = size;
        this.host = host;
        Command.of(
                        "qemu-img",
                        "create",
                        "-q",
                        "-f",
                        "qcow2",
                        "-b",
                        image.disk().toString(),
                        "-F",
                        "raw",
                        disk("source").toString(),
                        Long.toString(size.diskBytes()))
                .check(Deadline.inSeconds(20));
    }

    /** So many times from the request to the clone's first output, of one source. */
    Samples measure(int rounds) throws IOException {
        start("source", List.of());
        try (AgentConnection agent = AgentConnection.open(connect("source", "agent"), minutes(3))) {
            run(agent, String.join(" ", image.settleCommand()) + " >&2; echo settled");
            run(agent, "yes | head -c " + IN_USE_MEGABYTES + "M > /dev/shm/used; echo filled");
        }
        Samples cloned = new Samples();
        AtomicReference<CountDownLatch> saved = new AtomicReference<>(new CountDownLatch(1));
        try (Qmp source = Qmp.connect(socket("source", "qmp"), event -> noteEnd(event, saved.get()), minutes(1))) {
            capability(source, "events");
            ObjectNode unlimited = Json.object();
            unlimited.put("max-bandwidth", 0);
            source.execute("migrate-set-parameters", unlimited, minutes(1));
            for (int i = 0; i < rounds; i++) {
                saved.set(new CountDownLatch(1));
                cloned.add(cloneOnce(source, saved.get()));
                source.execute("cont", minutes(1));
            }
        }
        return cloned;
    }

    private Duration cloneOnce(Qmp source, CountDownLatch saved) throws IOException {
        long start = System.nanoTime();
        source.execute("stop", minutes(1));
        ObjectNode target = Json.object();
        target.put("uri", "exec:cat > " + folder.resolve("state"));
        source.execute("migrate", target, minutes(1));
        await(saved);
        Files.copy(disk("source"), disk("clone"), StandardCopyOption.REPLACE_EXISTING);
        Process clone = start("clone", List.of("-incoming", "exec:cat " + folder.resolve("state")));
        try {
            return awaitClone(start);
        } finally {
            clone.destroyForcibly();
            clone.onExit().join();
            Files.deleteIfExists(socket("clone", "qmp"));
            Files.deleteIfExists(socket("clone", "agent"));
        }
    }

    private Duration awaitClone(long start) throws IOException {
        CountDownLatch loaded = new CountDownLatch(1);
        try (Qmp clone = Qmp.connect(socket("clone", "qmp"), event -> noteEnd(event, loaded), minutes(1))) {
            capability(clone, "events");
            while (clone.execute("query-status", minutes(1))
                    .path("status")
                    .asString()
                    .equals("inmigrate")) {
                LockSupport.parkNanos(1_000_000);
            }
            // It arrives as it left: stopped.
            clone.execute("cont", minutes(1));
            try (AgentConnection agent = AgentConnection.open(connect("clone", "agent"), minutes(1))) {
                run(agent, "echo ready");
                return Duration.ofNanos(System.nanoTime() - start);
            }
        }
    }

    private static void noteEnd(QmpEvent event, CountDownLatch latch) {
        if (event.name().equals("MIGRATION")
                && event.data().path("status").asString().equals("completed")) {
            latch.countDown();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            if (!latch.await(3, TimeUnit.MINUTES)) {
                throw new IllegalStateException("the migration did not end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    private static void capability(Qmp qmp, String name) {
        ObjectNode arguments = Json.object();
        ObjectNode capability = arguments.putArray("capabilities").addObject();
        capability.put("capability", name);
        capability.put("state", true);
        qmp.execute("migrate-set-capabilities", arguments, minutes(1));
    }

    private Process start(String name, List<String> more) throws IOException {
        Accelerator accelerator = host.accelerator();
        List<String> command = new ArrayList<>(List.of("qemu-system-x86_64", "-nodefaults", "-display", "none"));
        command.addAll(List.of("-machine", "microvm,x-option-roms=off,rtc=on,isa-serial=on"));
        command.addAll(List.of("-accel", accelerator.option(), "-cpu", accelerator.cpuModel()));
        command.addAll(List.of("-smp", Integer.toString(size.cpus())));
        command.addAll(List.of("-m", size.memoryBytes() / MachineSize.MIB + "M"));
        command.addAll(List.of("-qmp", "unix:" + socket(name, "qmp") + ",server=on,wait=off"));
        command.addAll(List.of("-drive", "if=none,id=disk,format=qcow2,file=" + disk(name)));
        command.addAll(List.of("-device", "virtio-blk-device,drive=disk"));
        command.addAll(List.of("-chardev", "socket,id=agent,server=on,wait=off,path=" + socket(name, "agent")));
        command.addAll(List.of("-device", "virtio-serial-device,max_ports=2"));
        command.addAll(List.of("-device", "virtserialport,chardev=agent,name=org.boxd.agent"));
        command.addAll(List.of(
                "-kernel", image.kernel().toString(), "-initrd", image.initrd().toString()));
        command.addAll(List.of("-append", host.kernelArguments(image)));
        command.addAll(more);
        Process process = new ProcessBuilder(command).inheritIO().start();
        processes.add(process);
        Deadline deadline = minutes(1);
        while (!Files.exists(socket(name, "qmp"))) {
            if (deadline.passed()) {
                throw deadline.exceeded("starting QEMU");
            }
            LockSupport.parkNanos(1_000_000);
        }
        return process;
    }

    private SocketChannel connect(String name, String socket) throws IOException {
        return SocketChannel.open(UnixDomainSocketAddress.of(socket(name, socket)));
    }

    private Path socket(String name, String socket) {
        return folder.resolve(name + "-" + socket + ".sock");
    }

    private Path disk(String name) {
        return folder.resolve(name + ".qcow2");
    }

    private static void run(AgentConnection agent, String command) {
        CommandOutput output = agent.run(ExecRequest.argv("/bin/sh", "-c", command), minutes(3));
        if (output.stdout().length == 0) {
            throw new IllegalStateException(command + " printed nothing: " + output.status());
        }
    }

    private static Deadline minutes(int minutes) {
        return Deadline.in(Duration.ofMinutes(minutes));
    }

    @Override
    public void close() {
        for (Process process : processes) {
            process.destroyForcibly();
            process.onExit().join();
        }
        FileOwner.deleteTree(folder);
    }
}
