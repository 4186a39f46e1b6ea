package io.boxd.control;

import io.boxd.accounts.Principal;
import io.boxd.accounts.Quota;
import io.boxd.accounts.TestingAccounts;
import io.boxd.accounts.UserRow;
import io.boxd.certificates.Certificates;
import io.boxd.certificates.CertificatesConfig;
import io.boxd.certificates.DnsProofs;
import io.boxd.certificates.HttpProofs;
import io.boxd.chronicle.Chronicle;
import io.boxd.common.ErrorCode;
import io.boxd.common.Json;
import io.boxd.linux.FileOwner;
import io.boxd.login.Admission;
import io.boxd.login.Logins;
import io.boxd.trust.Authority;
import io.boxd.vmm.MachineSize;
import io.boxd.worker.SleepRules;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Control over boxes without machines, whose commands are root's in the temporary folder. */
public final class TestingControl implements AutoCloseable {
    public static final int QUOTA = 5;

    /** The administrator, ada. */
    public static final Caller CALLER =
            caller(TestingAccounts.begun().rows().administrators().getFirst());

    private static final int SNAPSHOTS = 50;

    private static final int CPUS = 2;
    private static final long MEMORY_BYTES = 1L << 30;
    private static final long DISK_BYTES = 4L << 30;

    private final TestingBoxes boxes = new TestingBoxes();
    private final TestingImages images = new TestingImages();
    private final TestingAccounts accounts = TestingAccounts.begun();
    private final TestingRequests requests = new TestingRequests();
    private final TestingIssuer issuer = new TestingIssuer();
    private final Path home;
    private final TestingChronicle chronicle;
    private final Certificates certificates;
    private final LocalControl control;

    public TestingControl() {
        try {
            home = Files.createTempDirectory("boxd-control-");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        chronicle = new TestingChronicle(Chronicle.open(home, BoxEvents::body, _ -> true));
        certificates = Certificates.open(
                new CertificatesConfig(home.resolve("certificates"), "boxd.localhost", List.of(), Optional.empty()),
                Authority.open(home.resolve("authority"), "test", List.of("boxd.localhost", "localhost")),
                DnsProofs.none(),
                new HttpProofs(),
                new CertificateEvents(chronicle.feed()),
                InstantSource.system());
        Quota usual = new Quota(QUOTA, QUOTA, QUOTA * CPUS, QUOTA * MEMORY_BYTES, QUOTA * DISK_BYTES, SNAPSHOTS);
        Entrance entrance = new Entrance(
                accounts,
                boxes,
                Optional.of(new Logins(issuer, Clock.systemUTC())),
                Admission.nobody(),
                InstantSource.system());
        control = new LocalControl(
                new Parts(
                        boxes,
                        images,
                        accounts,
                        requests,
                        new Shares(accounts, usual),
                        chronicle,
                        certificates,
                        entrance),
                new Settings(
                        "base",
                        new MachineSize(CPUS, MEMORY_BYTES, DISK_BYTES),
                        new SleepRules(Duration.ofSeconds(30), Duration.ofMinutes(10)),
                        "here",
                        "tcg",
                        "",
                        System.getProperty("java.io.tmpdir")),
                () -> new ServerFacts(
                        1,
                        "test",
                        "http://127.0.0.1:1",
                        "/nowhere",
                        "tcg",
                        new ServerFacts.Ports(1, 2, null, 3),
                        Instant.EPOCH.toString(),
                        "/nowhere/authority.pem",
                        new ServerFacts.Ssh("localhost", 3, "boxd-0", "ssh-ed25519 AAAA")),
                "this is a test");
    }

    public TestingBoxes boxes() {
        return boxes;
    }

    /** Boxes, images and the chronicle fail like this from now on; with null, they do not. */
    public void failWith(@Nullable ErrorCode code) {
        boxes.failWith(code);
        images.failWith(code);
        chronicle.failWith(code);
        accounts.failWith(code);
        issuer.failWith(code);
    }

    public Chronicle chronicle() {
        return chronicle;
    }

    /** The folder in which the chronicle is. */
    public Path home() {
        return home;
    }

    public LocalControl control() {
        return control;
    }

    /** Says a verb with a JSON text; quotes may be single ones. */
    public JsonNode say(String verb, String parameters) {
        return say("ada", verb, parameters);
    }

    /** The same by somebody else than the administrator. */
    public JsonNode say(String user, String verb, String parameters) {
        return control.call(caller(who(user)), verb, object(parameters));
    }

    private static Caller caller(UserRow user) {
        return caller(TestingAccounts.begun().rows().principal(user));
    }

    private static Caller caller(Principal who) {
        return Caller.of(who, "test", "127.0.0.1", Optional.empty());
    }

    /** Whoever shows this token; throws if it does not count. */
    public Caller bearer(String secret) {
        Caller stranger = Caller.stranger("test", "127.0.0.1", Optional.empty());
        return control.identify(stranger, new Credential.Token(secret));
    }

    /** Somebody with all that they may do. */
    public Principal who(String user) {
        return accounts.rows().principal(accounts.rows().userNamed(user).orElseThrow());
    }

    /** With an administrator, ada, and users bob and cy. */
    public TestingAccounts accounts() {
        return accounts;
    }

    /** A JSON object, written with single quotes for easier reading. */
    public static ObjectNode object(String text) {
        return (ObjectNode) Json.parse(text.replace('\'', '"'));
    }

    @Override
    public void close() {
        control.close();
        boxes.close();
        chronicle.close();
        FileOwner.deleteTree(home);
    }
}
