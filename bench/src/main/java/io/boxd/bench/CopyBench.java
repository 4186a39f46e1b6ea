package io.boxd.bench;

import io.boxd.common.Deadline;
import io.boxd.guest.ExecRequest;
import io.boxd.guest.GuestPath;
import io.boxd.guest.GuestProgram;
import io.boxd.linux.Command;
import io.boxd.linux.FileOwner;
import io.boxd.network.Wires;
import io.boxd.vmm.Base;
import io.boxd.vmm.Engine;
import io.boxd.vmm.Identity;
import io.boxd.vmm.Machine;
import io.boxd.vmm.MachineSize;
import io.boxd.vmm.TransientRecord;
import io.boxd.worker.MachineWires;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Random;

/**
 * How fast files come into a machine and out of it: through its agent, with OpenSSH's own client of files, beside
 * OpenSSH's {@code scp} to an sshd in the same machine, in turns.
 *
 * <p>The agent's side has no encryption here: that is done by a door on the host, never in the machine. The sshd is
 * Debian's, put into this one machine for the comparison.
 */
public final class CopyBench {
    private static final MachineSize SIZE = new MachineSize(2, 2 * MachineSize.GIB, 100 * MachineSize.GIB);
    private static final String SSHD = "/opt/sshd";
    private static final long MB = 1_000_000;

    private final Setup setup;
    private final int rounds;
    private final long bytes;
    private final Report report = new Report();
    private final Path folder;

    private CopyBench(Setup setup, int rounds, long bytes, Path folder) {
        this.setup = setup;
        this.rounds = rounds;
        this.bytes = bytes;
        this.folder = folder;
    }

    /** Arguments: {@code [--rounds N] [--megabytes N] [--output FILE]}. */
    public static void main(String[] arguments) throws IOException {
        Options options = Options.parse(
                arguments, Map.of("--rounds", "5", "--megabytes", "64", "--output", "bench/results/copy.json"));
        Path folder = Files.createTempDirectory("boxd-bench-");
        try (Setup setup = new Setup(Path.of("").toAbsolutePath(), Setup.imageCache(), CopyBench::say)) {
            CopyBench bench =
                    new CopyBench(setup, options.number("--rounds"), options.number("--megabytes") * MB, folder);
            bench.measure();
            bench.report.print(System.out);
            bench.report.write(options.path("--output"));
        } finally {
            FileOwner.deleteTree(folder);
        }
    }

    private static void say(String line) {
        System.err.println(line);
    }

    private static Deadline soon() {
        return Deadline.in(Duration.ofMinutes(5));
    }

    private void measure() throws IOException {
        Path home = Files.createDirectory(folder.resolve("home"));
        try (Wires wires = Wires.open(setup.wires(home), soon())) {
            MachineWires uplinks = new MachineWires(wires);
            try (Engine engine = Engine.open(
                    setup.config(home),
                    new TransientRecord(),
                    uplinks,
                    setup.engine().host().accelerator(),
                    soon())) {
                Base base = engine.base(setup.image(), SIZE, CopyBench::say, soon());
                try (Machine machine = engine.start(base, Identity.fresh("bench", 1), soon())) {
                    measure(machine, uplinks.of(machine).address());
                }
            }
        }
    }

    private void measure(Machine machine, InetAddress address) throws IOException {
        Path content = folder.resolve("content");
        byte[] random = new byte[(int) bytes];
        new Random(1).nextBytes(random);
        Files.write(content, random);
        Path empty = Files.createFile(folder.resolve("empty"));
        Path back = folder.resolve("back");
        startSshd(machine, address);
        Samples sshdIn = new Samples();
        Samples sshdOut = new Samples();
        Samples agentIn = new Samples();
        Samples agentOut = new Samples();
        Samples plainIn = new Samples();
        Samples plainOut = new Samples();
        for (int i = -1; i < rounds; i++) {
            double scpStart = seconds(() -> scp(empty.toString(), remote(address, "empty")));
            double sftpStart = seconds(() -> sftp(machine, "put " + empty + " /dev/shm/empty"));
            double farIn = seconds(() -> scp(content.toString(), remote(address, "far"))) - scpStart;
            double farOut = seconds(() -> scp(remote(address, "far"), back.toString())) - scpStart;
            same(content, back);
            double nearIn = seconds(() -> sftp(machine, "put " + content + " /dev/shm/near")) - sftpStart;
            double nearOut = seconds(() -> sftp(machine, "get /dev/shm/near " + back)) - sftpStart;
            same(content, back);
            double rawIn = seconds(() -> write(machine, random));
            double rawOut = seconds(() -> read(machine));
            if (i >= 0) {
                sshdIn.add(rate(farIn));
                sshdOut.add(rate(farOut));
                agentIn.add(rate(nearIn));
                agentOut.add(rate(nearOut));
                plainIn.add(rate(rawIn));
                plainOut.add(rate(rawOut));
            }
        }
        report.fact("accelerator", setup.engine().host().accelerator().toString());
        report.fact("bytes", bytes);
        report.median("sshd_in_mb_s", sshdIn, "scp to an sshd in the machine");
        report.median("agent_in_mb_s", agentIn, "≥ 0.8 of it", "sftp through the agent, nothing encrypted");
        report.median("program_in_mb_s", plainIn, "into the input of a program, through the agent");
        report.median("sshd_out_mb_s", sshdOut, "scp from an sshd in the machine");
        report.median("agent_out_mb_s", agentOut, "≥ 0.8 of it", "sftp through the agent, nothing encrypted");
        report.median("program_out_mb_s", plainOut, "from the output of a program, through the agent");
    }

    private double rate(double seconds) {
        return bytes / seconds / MB;
    }

    /** Something that may fail on the way to a file. */
    private interface Copying {
        void run() throws IOException;
    }

    private static double seconds(Copying copying) throws IOException {
        long start = System.nanoTime();
        copying.run();
        return (System.nanoTime() - start) / 1e9;
    }

    private static void same(Path one, Path other) throws IOException {
        if (Files.mismatch(one, other) >= 0) {
            throw new IOException("what came back is not what was sent");
        }
    }

    private void startSshd(Machine machine, InetAddress address) throws IOException {
        Path packages = Files.createDirectory(folder.resolve("packages"));
        Command.of("apt-get", "download", "openssh-server", "libwrap0")
                .withDirectory(packages)
                .check(soon());
        Path tree = Files.createDirectory(folder.resolve("tree"));
        try (var files = Files.list(packages)) {
            for (Path file : files.toList()) {
                Command.of("dpkg-deb", "-x", file.toString(), tree.toString()).check(soon());
            }
        }
        Command.of(
                        "ssh-keygen",
                        "-q",
                        "-t",
                        "ed25519",
                        "-N",
                        "",
                        "-f",
                        folder.resolve("key").toString())
                .check(soon());
        Path archive = folder.resolve("tree.tar");
        Command.of("tar", "-C", tree.toString(), "-cf", archive.toString(), ".").check(soon());
        try (InputStream content = Files.newInputStream(archive)) {
            machine.agent().trees("").unpack(GuestPath.of(SSHD), content, true, soon());
        }
        String known = Files.readString(folder.resolve("key.pub")).strip();
        Setup.run(
                machine,
                ("cd %s && echo '%s' > known && ssh-keygen -q -t ed25519 -N '' -f host && mkdir -p /run/sshd"
                                + " && echo 'sshd:x:999:65534::/run/sshd:/usr/sbin/nologin' >> /etc/passwd"
                                + " && LD_LIBRARY_PATH=$(dirname $(find %s -name 'libwrap.so.0'))"
                                + " %s/usr/sbin/sshd -f /dev/null -h %s/host -o UsePAM=no -o StrictModes=no"
                                + " -o AuthorizedKeysFile=%s/known"
                                + " -o 'Subsystem=sftp internal-sftp' && echo started")
                        .formatted(SSHD, known, SSHD, SSHD, SSHD, SSHD));
        say("sshd in the machine at " + address.getHostAddress());
    }

    private static String remote(InetAddress address, String name) {
        return "root@" + address.getHostAddress() + ":/dev/shm/" + name;
    }

    private void scp(String from, String to) {
        Command.of(
                        "scp",
                        "-q",
                        "-i",
                        folder.resolve("key").toString(),
                        "-o",
                        "StrictHostKeyChecking=no",
                        "-o",
                        "UserKnownHostsFile=/dev/null",
                        "-F",
                        "/dev/null",
                        from,
                        to)
                .check(soon());
    }

    /** The client's server is two pipes, whose other ends are the program in the machine. */
    private void sftp(Machine machine, String line) throws IOException {
        Path batch = Files.writeString(folder.resolve("batch"), line + "\n");
        Path in = folder.resolve("in");
        Path out = folder.resolve("out");
        Path server =
                Files.writeString(folder.resolve("server"), "#!/bin/sh\ncat " + out + " & exec cat > " + in + "\n");
        if (!server.toFile().setExecutable(true)) {
            throw new IOException("cannot make " + server);
        }
        Command.of("mkfifo", in.toString(), out.toString()).check(soon());
        try (GuestProgram program = machine.agent().program(ExecRequest.files().withStdin(true), soon())) {
            Thread upwards = Thread.ofPlatform().start(() -> pump(open(in), program.input()));
            Thread downwards = Thread.ofPlatform().start(() -> pump(program.output(), create(out)));
            Command.of("sftp", "-q", "-b", batch.toString(), "-D", server.toString())
                    .check(soon());
            upwards.join();
            downwards.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } finally {
            Files.delete(in);
            Files.delete(out);
        }
    }

    private static InputStream open(Path file) {
        try {
            return Files.newInputStream(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static OutputStream create(Path file) {
        try {
            return Files.newOutputStream(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void pump(InputStream from, OutputStream to) {
        byte[] piece = new byte[64 << 10];
        try (from;
                to) {
            for (int count = from.read(piece); count >= 0; count = from.read(piece)) {
                to.write(piece, 0, count);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void write(Machine machine, byte[] content) throws IOException {
        try (GuestProgram program = machine.agent()
                .program(ExecRequest.argv("sh", "-c", "cat > /dev/null").withStdin(true), soon())) {
            program.input().write(content);
            program.input().close();
            program.await(soon());
        }
    }

    private void read(Machine machine) throws IOException {
        byte[] piece = new byte[64 << 10];
        try (GuestProgram program = machine.agent()
                .program(ExecRequest.argv("head", "-c", Long.toString(bytes), "/dev/shm/near"), soon())) {
            long left = bytes;
            for (int count = program.output().read(piece);
                    count >= 0;
                    count = program.output().read(piece)) {
                left -= count;
            }
            if (left != 0) {
                throw new IOException(left + " bytes are missing");
            }
        }
    }
}
