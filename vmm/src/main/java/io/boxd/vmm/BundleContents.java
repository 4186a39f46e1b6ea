package io.boxd.vmm;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.common.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;

/**
 * What every file of a QEMU bundle must be, in the order of their names.
 *
 * <p>A bundle's key is the hash of this list, and sealed manifests name the key: so the list needs no seal of
 * its own.
 *
 * @param files each under its path in the bundle
 */
record BundleContents(List<Part> files) {
    BundleContents {
        files = files.stream().sorted(Comparator.comparing(Part::name)).toList();
    }

    String key() {
        MessageDigest hash = Hashes.sha256();
        for (Part file : files) {
            hash.update(
                    (file.name() + "\0" + file.bytes() + "\0" + file.sha256() + "\0").getBytes(StandardCharsets.UTF_8));
        }
        return HexFormat.of().formatHex(hash.digest()).substring(0, 32);
    }

    void write(Path file) throws IOException {
        Files.writeString(file, Json.writePretty(this));
    }

    /** The list that belongs to a bundle; any other is refused. */
    static BundleContents of(QemuBundle bundle) {
        try {
            BundleContents contents = Json.read(Files.readString(bundle.contents()), BundleContents.class);
            if (contents.key().equals(bundle.key())) {
                return contents;
            }
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.WRONG_STATE, "the list of its files is missing", e);
        } catch (BoxdException e) {
            throw new BoxdException(ErrorCode.WRONG_STATE, "the list of its files is damaged", e);
        }
        throw new BoxdException(ErrorCode.WRONG_STATE, "the list of its files is damaged: it is of another QEMU");
    }
}
