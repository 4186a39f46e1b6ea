package io.boxd.vmm;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/** Lets no QEMU start that is not, to the last file, the one that was put into its bundle. */
final class BundleChecks {
    private final Checks checks;
    /** A list that fits its key is right whatever becomes of the file it was read from. */
    private final Map<String, BundleContents> known = new ConcurrentHashMap<>();

    BundleChecks(Checks checks) {
        this.checks = checks;
    }

    void require(QemuBundle bundle) {
        try {
            BundleContents contents = known.computeIfAbsent(bundle.key(), key -> BundleContents.of(bundle));
            Map<Path, Part> files = new LinkedHashMap<>();
            contents.files().forEach(part -> files.put(bundle.root().resolve(part.name()), part));
            requireNothingElse(bundle, files);
            checks.require(files);
            keepProgramUnreadable(bundle);
        } catch (BoxdException e) {
            throw new BoxdException(
                    e.code(),
                    "the QEMU in " + bundle.folder() + " cannot be used: " + e.getMessage(),
                    "Nothing was started. Put the file back from a copy; or, if the host still has the same QEMU, "
                            + "delete that folder and start the server again, and it is copied anew.",
                    e);
        }
    }

    /** Somebody may have changed the mode of one of its links, for whatever reason; the file is shared by instances. */
    private static void keepProgramUnreadable(QemuBundle bundle) {
        try {
            if (!Files.getPosixFilePermissions(bundle.program()).equals(QemuBundle.PROGRAM_MODE)) {
                Files.setPosixFilePermissions(bundle.program(), QemuBundle.PROGRAM_MODE);
            }
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.WRONG_STATE, "the mode of its program cannot be set", e);
        }
    }

    /** A file too many could be loaded in place of one that belongs there. */
    private static void requireNothingElse(QemuBundle bundle, Map<Path, Part> files) {
        try (Stream<Path> tree = Files.walk(bundle.root())) {
            tree.filter(entry -> !files.containsKey(entry) && !Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS))
                    .findFirst()
                    .ifPresent(stranger -> {
                        throw new BoxdException(
                                ErrorCode.WRONG_STATE, bundle.root().relativize(stranger) + " does not belong to it");
                    });
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.WRONG_STATE, "its files cannot be listed", e);
        }
    }
}
