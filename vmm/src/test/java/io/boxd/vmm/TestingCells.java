package io.boxd.vmm;

import io.boxd.common.Deadline;
import io.boxd.linux.ControlGroups;
import io.boxd.linux.FileOwner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.stream.Stream;

/**
 * Cells made by the product's own code, but apart from the shared engine's: in a home of their own, with
 * any launcher, and with any program in QEMU's place. Closing it takes everything away.
 */
final class TestingCells implements AutoCloseable {
    private final Path home;
    private final EngineConfig config;
    private final ControlGroups groups;
    private final UidBlock uids;
    private final Cells cells;
    private final List<AutoCloseable> started = new ArrayList<>();

    private TestingCells(Path launcher) throws IOException {
        TestHouse house = TestHouse.get();
        home = Files.createTempDirectory("boxd-cells-");
        EngineConfig shared = house.engine().config();
        config = new EngineConfig(home, shared.cache(), shared.registry(), launcher, shared.preload());
        FileOwner.folder(config.cells());
        uids = UidBlock.take(config.registry(), home);
        groups = ControlGroups.open("boxd-" + Engine.instanceId(home));
        cells = new Cells(config, groups, uids, Uplinks.none(), bundle -> {
            // Anything may take QEMU's place here.
        });
    }

    static TestingCells open() {
        return open(TestHouse.release("boxd-launcher"));
    }

    static TestingCells open(Path launcher) {
        try {
            return new TestingCells(launcher);
        } catch (IOException e) {
            throw new IllegalStateException("cannot make a home for cells", e);
        }
    }

    /** With a launcher that leaves one layer of the jail out. */
    static TestingCells openWithout(String layer, Path folder) {
        Path red = TestHouse.REPOSITORY.resolve("target/red/trial/boxd-launcher");
        Path wrapper = folder.resolve("launcher-without-" + layer);
        try {
            Files.writeString(wrapper, "#!/bin/sh\nexec " + red + " --without " + layer + " \"$@\"\n");
            Files.setPosixFilePermissions(wrapper, PosixFilePermissions.fromString("rwx------"));
        } catch (IOException e) {
            throw new IllegalStateException("cannot write " + wrapper, e);
        }
        return open(wrapper);
    }

    Path home() {
        return home;
    }

    EngineConfig config() {
        return config;
    }

    Cells cells() {
        return cells;
    }

    ControlGroups groups() {
        return groups;
    }

    Husk husk(Base base) {
        Husk husk = new HuskMaker(cells).make(base, HuskMaker.WORKING_CPU_SHARE, Deadline.inSeconds(60));
        started.add(husk);
        return husk;
    }

    /** A cell planned as for a husk of this base, except for what the change does to the plan. */
    Cell start(Base base, BiFunction<CellFolder, CellPlan, CellPlan> change) {
        String id = Ids.random();
        Cell cell = cells.start(
                id,
                folder -> {
                    TopLayer top = folder.newTop(Ids.random(), base.size().diskBytes());
                    return change.apply(folder, HuskMaker.plan(id, base, top, HuskMaker.WORKING_CPU_SHARE));
                },
                Deadline.inSeconds(30));
        started.add(cell);
        return cell;
    }

    /** The same plan for another program with other arguments. */
    static CellPlan withArguments(CellPlan plan, List<String> arguments) {
        return new CellPlan(
                plan.id(),
                plan.bundle(),
                plan.accelerator(),
                plan.memory(),
                plan.memoryWritable(),
                plan.readOnlyFiles(),
                arguments,
                plan.limits(),
                plan.diskBytes());
    }

    /** The base with another program in QEMU's place, and everything else of its bundle as it is. */
    Base withProgram(Base base, Path program) {
        Path root = home.resolve("bundle");
        try {
            copyTree(base.bundle().root(), root);
            Path replaced = root.resolve(QemuBundle.PROGRAM.substring(1));
            var permissions = Files.getPosixFilePermissions(replaced);
            Files.copy(program, replaced, StandardCopyOption.REPLACE_EXISTING);
            Files.setPosixFilePermissions(replaced, permissions);
        } catch (IOException e) {
            throw new IllegalStateException("cannot make a bundle of " + program, e);
        }
        QemuBundle bundle = new QemuBundle(
                "test", root, base.bundle().major(), base.bundle().minor());
        return new Base(
                base.id(),
                base.image(),
                base.memory(),
                base.deviceState(),
                base.size(),
                base.accelerator(),
                bundle,
                base.layers(),
                base.origin());
    }

    private static void copyTree(Path from, Path to) throws IOException {
        try (Stream<Path> tree = Files.walk(from)) {
            for (Path entry : tree.toList()) {
                Files.copy(entry, to.resolve(from.relativize(entry).toString()), StandardCopyOption.COPY_ATTRIBUTES);
            }
        }
    }

    @Override
    public void close() {
        RuntimeException failure = new IllegalStateException("cannot take cells apart");
        for (AutoCloseable one : started.reversed()) {
            try {
                one.close();
            } catch (Exception e) {
                failure.addSuppressed(e);
            }
        }
        try {
            groups.removeTree(Deadline.inSeconds(5));
            uids.close();
            FileOwner.deleteTree(home);
        } catch (RuntimeException e) {
            failure.addSuppressed(e);
        }
        if (failure.getSuppressed().length > 0) {
            throw failure;
        }
    }
}
