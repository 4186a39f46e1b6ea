package io.boxd.guest.image;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.linux.Command;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One run of mmdebstrap, which fetches packages of any release and installs or merely unpacks them.
 *
 * <p>It works in namespaces of its own, so that its mounts vanish with it however it ends.
 */
record Bootstrap(Suite suite, @Nullable String mirror, String variant, List<String> packages) {
    /** Gives up on a silent server early enough for the caller to learn why instead of missing its deadline. */
    private static final int NETWORK_TIMEOUT_SECONDS = 15;

    private static final Pattern UNREACHABLE = Pattern.compile(
            "could not (resolve|connect)|temporary failure|connection (timed out|refused|failed)|unable to connect"
                    + "|network is unreachable|failed to fetch|no longer has a release file|does not have a release",
            Pattern.CASE_INSENSITIVE);

    List<String> commandLine(Path target) {
        List<String> argv = new ArrayList<>(List.of(
                "mmdebstrap",
                "--mode=root",
                "--format=directory",
                "--variant=" + variant,
                "--components=" + suite.components(),
                "--include=" + String.join(",", packages),
                "--aptopt=APT::Install-Recommends \"false\"",
                "--aptopt=Acquire::Retries \"1\"",
                "--aptopt=Acquire::http::Timeout \"" + NETWORK_TIMEOUT_SECONDS + "\"",
                "--aptopt=Acquire::https::Timeout \"" + NETWORK_TIMEOUT_SECONDS + "\"",
                // apt's own user can neither enter a folder that only root may, nor always find its verifier.
                "--aptopt=APT::Sandbox::User \"root\"",
                // A build that a power cut ends is thrown away whole, so single files need no syncing.
                "--dpkgopt=force-unsafe-io",
                suite.codename(),
                target.toString()));
        if (mirror != null) {
            argv.add(mirror);
        }
        return argv;
    }

    void into(Path target, Consumer<String> progress, Deadline deadline) {
        Command.Result result = Command.of(commandLine(target))
                .withEnvironment("SOURCE_DATE_EPOCH", FileSystemImage.EPOCH_SECONDS)
                .withLines(line -> condensed(line, progress))
                .run(deadline);
        if (!result.succeeded()) {
            throw failure(result.errors());
        }
    }

    private static void condensed(String line, Consumer<String> progress) {
        if (line.startsWith("I: ") && !line.contains("automatically chosen") && !line.contains("emulation check")) {
            progress.accept(line.substring(3));
        }
    }

    BoxdException failure(String words) {
        String reason = reason(words);
        String lower = words.toLowerCase(Locale.ROOT);
        if (lower.contains("no space left")) {
            return new BoxdException(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "the disk filled up while installing " + suite.codename(),
                    "Free some space, or put the image cache elsewhere (BOXD_IMAGE_CACHE).",
                    null);
        }
        if (lower.contains("no_pubkey") || lower.contains("public key is not available") || lower.contains("keyring")) {
            return new BoxdException(
                    ErrorCode.UNAVAILABLE,
                    "cannot verify the packages of " + suite.codename() + ": " + reason,
                    "Install " + suite.keyringPackage() + " on this host.",
                    null);
        }
        if (UNREACHABLE.matcher(words).find()) {
            return new BoxdException(
                    ErrorCode.UNAVAILABLE,
                    "cannot reach the package mirror of " + suite.codename() + ": " + reason,
                    "Check this host's network and proxy, or name a mirror that it can reach.",
                    null);
        }
        return new BoxdException(ErrorCode.INTERNAL, "installing " + suite.codename() + " failed: " + reason);
    }

    /** The first complaint is the cause; what follows it are consequences. */
    private static String reason(String words) {
        return words.lines()
                .map(String::strip)
                .filter(line -> line.startsWith("E:")
                        || line.startsWith("Err:")
                        || UNREACHABLE.matcher(line).find())
                .findFirst()
                .orElseGet(() -> words.lines().reduce((first, last) -> last).orElse("it said nothing"));
    }
}
