package io.boxd.vmm;

import java.nio.file.Path;

/**
 * Where an engine keeps its things and finds its helpers.
 *
 * @param home all data of the instance; one file system, since frozen layers are hard-linked in it
 * @param cache bases and QEMU bundles, which instances may share
 * @param registry where instances on one host agree on user ids
 * @param launcher the program that jails a QEMU
 * @param preload the library that makes an old QEMU open its memory file read-only
 */
public record EngineConfig(Path home, Path cache, Path registry, Path launcher, Path preload) {
    Path cells() {
        return home.resolve("cells");
    }

    Path layers() {
        return home.resolve("layers");
    }

    /** The bases that this instance uses; those of images are links into the shared cache. */
    Path ownBases() {
        return home.resolve("bases");
    }

    Path imageBases() {
        return cache.resolve("bases");
    }

    /** QEMU bundles that instances share. */
    Path bundles() {
        return cache.resolve("qemu");
    }

    /** The bundles that this instance needs, held by links. */
    Path ownBundles() {
        return home.resolve("qemu");
    }

    Path snapshots() {
        return home.resolve("snapshots");
    }

    /** The key of the instance's seal. */
    Path key() {
        return home.resolve("key");
    }

    /** Which files were compared with their hashes. */
    Path checked() {
        return home.resolve("checked");
    }

    /** The same helpers with a home of its own, for a machine that is only a trial. */
    EngineConfig forProbe() {
        return new EngineConfig(home.resolve("probe"), cache, registry, launcher, preload);
    }
}
