package io.boxd.cli;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** The certificates that this machine's programs believe, as distributions let administrators add to them. */
final class SystemTrust {
    private static final long UPDATE_SECONDS = 120;
    private static final int MOST_OUTPUT_BYTES = 65_536;

    /**
     * How a family of distributions does it.
     *
     * @param folder for certificates of the administrator
     * @param update what takes them over
     */
    private record Way(String folder, List<String> update) {}

    private static final List<Way> WAYS = List.of(
            new Way("usr/local/share/ca-certificates", List.of("update-ca-certificates")),
            new Way("etc/pki/ca-trust/source/anchors", List.of("update-ca-trust", "extract")),
            new Way("etc/ca-certificates/trust-source/anchors", List.of("update-ca-trust")));

    private final Path root;
    private final Consumer<List<String>> program;

    SystemTrust() {
        this(Path.of("/"), SystemTrust::run);
    }

    /**
     * Of the machine whose files are below this folder.
     *
     * @param program runs those that take certificates over
     */
    SystemTrust(Path root, Consumer<List<String>> program) {
        this.root = root;
        this.program = program;
    }

    /** Believes it from now on; returns the file in which it is. */
    Path install(String certificate, String fingerprint) {
        Way way = way();
        Path file = file(way, fingerprint);
        try {
            Files.writeString(file, certificate, StandardCharsets.US_ASCII);
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        } catch (IOException e) {
            throw notAllowed(file, e);
        }
        program.accept(way.update());
        return file;
    }

    /** Believes it no more; whether it did. */
    boolean remove(String fingerprint) {
        Way way = way();
        Path file = file(way, fingerprint);
        try {
            if (!Files.deleteIfExists(file)) {
                return false;
            }
        } catch (IOException e) {
            throw notAllowed(file, e);
        }
        program.accept(way.update());
        return true;
    }

    private Way way() {
        return WAYS.stream()
                .filter(way -> Files.isDirectory(root.resolve(way.folder())))
                .findFirst()
                .orElseThrow(() -> new BoxdException(
                        ErrorCode.UNAVAILABLE,
                        "this machine keeps its certificates where boxd does not know it",
                        "boxd trust --json has the certificate; add it as your system wants it.",
                        null));
    }

    /** By its own name, so that several servers' lie beside each other. */
    private Path file(Way way, String fingerprint) {
        String name = fingerprint.replace(":", "").toLowerCase(Locale.ROOT);
        if (!name.matches("[0-9a-f]{64}")) {
            throw new BoxdException(ErrorCode.INTERNAL, "the server's answer has no fingerprint");
        }
        return root.resolve(way.folder()).resolve("boxd-" + name.substring(0, 16) + ".crt");
    }

    private static BoxdException notAllowed(Path file, IOException cause) {
        return new BoxdException(
                ErrorCode.PERMISSION_DENIED, "cannot change " + file, "sudo boxd trust install, or rm.", cause);
    }

    private static void run(List<String> line) {
        try {
            Process process = new ProcessBuilder(line).redirectErrorStream(true).start();
            process.getOutputStream().close();
            String said = new String(process.getInputStream().readNBytes(MOST_OUTPUT_BYTES), StandardCharsets.UTF_8);
            if (!process.waitFor(UPDATE_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
                process.destroyForcibly();
                throw new IOException(said.strip());
            }
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.UNAVAILABLE, String.join(" ", line) + " failed: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BoxdException(ErrorCode.UNAVAILABLE, "interrupted", e);
        }
    }
}
