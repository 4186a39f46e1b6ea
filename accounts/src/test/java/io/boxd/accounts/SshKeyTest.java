package io.boxd.accounts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Keys as OpenSSH makes them, and fingerprints as it prints them. */
@Tag("unit")
final class SshKeyTest {
    @TempDir
    private Path folder;

    private String sshKeygen(String... words) throws IOException, InterruptedException {
        List<String> line = new java.util.ArrayList<>(List.of("ssh-keygen"));
        line.addAll(List.of(words));
        Process process = new ProcessBuilder(line).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(said).isZero();
        return said;
    }

    private String made(String name, String... how) throws IOException, InterruptedException {
        Path file = folder.resolve(name);
        List<String> words = new java.util.ArrayList<>(List.of(how));
        words.addAll(List.of("-q", "-N", "", "-C", "me@here", "-f", file.toString()));
        sshKeygen(words.toArray(String[]::new));
        return Files.readString(folder.resolve(name + ".pub"));
    }

    private static String blob(Object... parts) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            for (Object part : parts) {
                byte[] content =
                        part instanceof byte[] raw ? raw : part.toString().getBytes(StandardCharsets.UTF_8);
                out.writeInt(content.length);
                out.write(content);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Base64.getEncoder().encodeToString(bytes.toByteArray());
    }

    private static byte[] point(int coordinateBytes) {
        byte[] point = new byte[2 * coordinateBytes + 1];
        new Random(1).nextBytes(point);
        point[0] = 4;
        return point;
    }

    private void assertSameFingerprint(String name, String line) throws IOException, InterruptedException {
        Path file = folder.resolve(name);
        Files.writeString(file, line.strip() + "\n");
        String[] said = sshKeygen("-l", "-E", "sha256", "-f", file.toString()).split(" ", 3);
        assertThat(SshKey.parse(line).fingerprint()).isEqualTo(said[1]);
    }

    @Test
    void keysOfOpenSshHaveTheFingerprintThatOpenSshPrints() throws IOException, InterruptedException {
        assertSameFingerprint("a", made("ed25519", "-t", "ed25519"));
        assertSameFingerprint("b", made("rsa", "-t", "rsa", "-b", "2048"));
        assertSameFingerprint("c", made("ecdsa256", "-t", "ecdsa", "-b", "256"));
        assertSameFingerprint("d", made("ecdsa384", "-t", "ecdsa", "-b", "384"));
        assertSameFingerprint("e", made("ecdsa521", "-t", "ecdsa", "-b", "521"));
        String security = "sk-ssh-ed25519@openssh.com";
        assertSameFingerprint("f", security + " " + blob(security, new byte[32], "ssh:") + " token");
        assertThat(SshKey.parse(made("one", "-t", "ed25519")).comment()).isEqualTo("me@here");
    }

    @Test
    void securityKeysWithACurveAreRead() {
        String type = "sk-ecdsa-sha2-nistp256@openssh.com";
        SshKey key = SshKey.parse(type + " " + blob(type, "nistp256", point(32), "ssh:"));
        assertThat(key.type()).isEqualTo(type);
        assertThat(key.fingerprint()).startsWith("SHA256:").hasSize(7 + 43);
    }

    private static void assertRefused(String line, String because) {
        assertThatThrownBy(() -> SshKey.parse(line)).isInstanceOfSatisfying(BoxdException.class, e -> {
            assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
            assertThat(e).hasMessageContaining(because);
            assertThat(e.hint()).isNotEmpty();
        });
    }

    @Test
    void otherKeysAreRefusedWithTheReason() throws IOException, InterruptedException {
        assertRefused(made("short", "-t", "rsa", "-b", "1024"), "too short");
        assertRefused("ssh-dss " + blob("ssh-dss", "x"), "DSA");
        assertRefused("ssh-new " + blob("ssh-new", "x"), "not known");
        assertRefused(Files.readString(folder.resolve("short")), "private key");
        assertRefused("", "no public key");
        assertRefused("ssh-ed25519", "no public key");
        assertRefused("ssh-ed25519 !!!", "damaged");
        assertRefused("ssh-ed25519 " + blob("ssh-ed25519", new byte[31]), "damaged");
        assertRefused("ssh-ed25519 " + blob("ssh-ed25519", new byte[32], "more"), "damaged");
        assertRefused("ssh-ed25519 " + blob("ssh-rsa", new byte[32]), "damaged");
        assertRefused("ecdsa-sha2-nistp256 " + blob("ecdsa-sha2-nistp256", "nistp384", point(32)), "damaged");
        assertRefused("command=\"x\" ssh-ed25519 " + blob("ssh-ed25519", new byte[32]), "damaged");
        assertRefused("ssh-ed25519 " + blob("ssh-ed25519", new byte[32]) + "\nssh-ed25519 AAAA", "one line");
    }

    /** Nothing but our own error escapes, whatever the bytes are. */
    @Test
    void damagedKeysAreRefusedOrAreOthers() throws IOException, InterruptedException {
        String line = made("whole", "-t", "rsa", "-b", "2048");
        String[] words = line.split(" ", 3);
        Random random = new Random(3);
        int refused = 0;
        for (int round = 0; round < 2000; round++) {
            byte[] bytes = Base64.getDecoder().decode(words[1]);
            bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
            try {
                SshKey key = SshKey.parse(words[0] + " " + Base64.getEncoder().encodeToString(bytes));
                assertThat(key.fingerprint()).isNotEqualTo(SshKey.parse(line).fingerprint());
            } catch (BoxdException e) {
                refused++;
            }
        }
        assertThat(refused).isPositive();
    }

    @Test
    void aCommentCannotSteerATerminal() {
        String line = "ssh-ed25519 " + blob("ssh-ed25519", new byte[32]) + " me\u001b[2J\u202e" + "x".repeat(500);
        assertThat(SshKey.parse(line).comment()).startsWith("me?[2J?").hasSize(200);
    }
}
