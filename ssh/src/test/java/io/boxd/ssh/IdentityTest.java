package io.boxd.ssh;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.Deadline;
import io.boxd.linux.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Who somebody is follows from the key that has signed, and from nothing else. */
@Tag("host")
final class IdentityTest {
    private final TestingDoors doors = new TestingDoors();

    @AfterEach
    void close() {
        doors.close();
    }

    private Command.Result runWith(List<Path> keys, String user, String... command) {
        List<String> options = new ArrayList<>();
        keys.stream().skip(1).forEach(key -> options.addAll(List.of("-i", key.toString())));
        List<String> words = doors.client(keys.getFirst(), user, options.toArray(String[]::new));
        words.addAll(List.of(command));
        return Command.of(words).run(Deadline.inSeconds(60));
    }

    @Test
    void theKeyThatSignedCountsWhateverWasOfferedBefore() {
        Path a = doors.key("a");
        Path b = doors.key("b", "ecdsa");
        Path bob = doors.keyOf("bob");
        Path ada = doors.keyOf("ada");
        assertThat(runWith(List.of(a, b, bob), "boxd", "whoami").output()).contains("bob");
        assertThat(runWith(List.of(bob, ada), "boxd", "whoami").output()).contains("bob");
        assertThat(runWith(List.of(a, ada, bob), "boxd", "whoami").output()).contains("ada");
    }

    @Test
    void rsaKeysSignWithSha2() {
        Path rsa = doors.key("rsa", "rsa");
        doors.house().say("cy", "key add", "{'key':'" + doors.publicKey(rsa) + "'}");
        assertThat(doors.run(rsa, "boxd", "whoami").output()).contains("cy");
        List<String> old = doors.client(rsa, "boxd", "-o", "PubkeyAcceptedAlgorithms=ssh-rsa");
        assertThat(Command.of(old).run(Deadline.inSeconds(30)).status()).isEqualTo(255);
    }

    @Test
    void aKeyThatNobodyHasHearsWhatToDo() {
        Path stranger = doors.key("stranger");
        for (String user : List.of("boxd", "task-1", "ada")) {
            Command.Result told = doors.run(stranger, user, "list");
            assertThat(told.status()).isEqualTo(5);
            assertThat(told.errors()).contains("nobody is known by this key").contains("join INVITATION");
        }
    }

    @Test
    void anInvitationMakesTheKeySomebodys() {
        Path stranger = doors.key("stranger");
        String invitation =
                doors.house().say("ada", "invite", "{}").path("invitation").asString();
        assertThat(doors.run(stranger, "boxd", "join", invitation).status()).isEqualTo(2);
        assertThat(doors.run(stranger, "dora", "join", invitation).errors()).contains("you are dora");
        assertThat(doors.run(stranger, "boxd", "whoami").output()).contains("dora");
        assertThat(doors.run(stranger, "boxd", "token", "list", "--json")
                        .output()
                        .strip())
                .isEqualTo("[]");
        Path other = doors.key("other");
        assertThat(doors.run(other, "eve", "join", invitation).status()).isNotZero();
    }

    @Test
    void theHostKeyStaysAndIsForItsOwnerOnly() throws IOException {
        HostIdentity first = HostIdentity.open(doors.folder().resolve("again"), HostNames.of("boxd.localhost"));
        HostIdentity second = HostIdentity.open(doors.folder().resolve("again"), HostNames.of("boxd.localhost"));
        assertThat(second.publicKey()).isEqualTo(first.publicKey());
        assertThat(second.publicAuthority()).isEqualTo(first.publicAuthority());
        assertThat(Files.getPosixFilePermissions(doors.folder().resolve("again/host_key")))
                .hasToString("[OWNER_READ, OWNER_WRITE]");
    }
}
