package io.boxd.server;

import io.boxd.accounts.AccountRecord;
import io.boxd.api.ApiServer;
import io.boxd.chronicle.Chronicle;
import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.control.BoxEvents;
import io.boxd.control.Control;
import io.boxd.control.Entrance;
import io.boxd.control.LocalControl;
import io.boxd.control.Parts;
import io.boxd.control.ServerFacts;
import io.boxd.control.Settings;
import io.boxd.control.Shares;
import io.boxd.inside.InsideServer;
import io.boxd.login.Admission;
import io.boxd.login.Issuer;
import io.boxd.login.Logins;
import io.boxd.network.PublicAddresses;
import io.boxd.ssh.SshDoors;
import io.boxd.vmm.ProbeResult;
import io.boxd.worker.Boxes;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.channels.FileChannel;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One instance: opens its rooms from the lowest up, and closes them the other way round. Boxes outlive it. */
public final class Server implements Serving {
    private static final Logger LOG = LoggerFactory.getLogger(Server.class);
    private static final Duration OPENING = Duration.ofMinutes(10);
    private static final Duration HIBERNATING = Duration.ofMinutes(15);
    private static final String USER = "boxd";
    private static final String USER_HOME = "/home/boxd";

    private final ServerConfig config;
    private final InstanceFiles files;
    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private final AtomicBoolean closing = new AtomicBoolean();
    private final CountDownLatch closed = new CountDownLatch(1);
    private @Nullable Boxes boxes;
    private @Nullable ServerFacts facts;

    private Server(ServerConfig config) {
        this.config = config;
        this.files = new InstanceFiles(config.home());
    }

    /** Opens everything; returns when the API answers. */
    static Server open(ServerConfig config, Rooms rooms) {
        Server server = new Server(config);
        try {
            server.begin(rooms);
            return server;
        } catch (RuntimeException e) {
            server.close();
            throw e;
        }
    }

    private void begin(Rooms rooms) {
        files.make();
        FileChannel lock = files.lock();
        opened.push(lock);
        Logs.begin(files.log());
        LOG.info("boxd {} begins in {}", Version.text(), config.home());
        files.forgetWish();
        Chronicle chronicle = Chronicle.open(
                config.home(),
                BoxEvents::body,
                address -> config.privateWebhooks() || PublicAddresses.contain(address));
        opened.push(chronicle);
        Deadline deadline = Deadline.in(OPENING);
        ProbeResult accelerator = rooms.accelerator(deadline);
        LOG.info("machines run with {}: {}", accelerator.accelerator(), accelerator.reason());
        opened.push(rooms::close);
        AccountRecord accounts = rooms.accounts(deadline);
        LocalAdministrator.ensure(accounts, rooms::founder, files.secret(), now());
        Shares shares = new Shares(accounts, config.quota());
        Naming naming = Naming.open(config, chronicle.feed());
        opened.push(naming);
        NamedBoxes names = new NamedBoxes(new BoxEvents(chronicle.feed()), naming.certificates(), config.domain());
        opened.push(names);
        Boxes open = rooms.boxes(accelerator, shares, names, deadline);
        boxes = open;
        opened.push(open);
        String accel = accelerator.accelerator().name().toLowerCase(Locale.ROOT);
        Readiness readiness = new Readiness(open, config);
        opened.push(readiness);
        Parts parts = new Parts(
                open,
                rooms.images(),
                accounts,
                rooms.requests(),
                shares,
                chronicle,
                naming.certificates(),
                entrance(accounts, open));
        LocalControl control = new LocalControl(parts, settings(accel), this::facts, accelerator.reason());
        opened.push(control);
        Optional<SshDoors> ssh = openSsh(control);
        ServerFacts.Ports ports = openDoors(control, readiness, naming, ssh.map(SshDoors::port));
        naming.begin();
        ServerFacts now = new ServerFacts(
                ProcessHandle.current().pid(),
                Version.text(),
                Addresses.url(config.bind(), ports.http()),
                config.home().toString(),
                accel,
                ports,
                now().toString(),
                files.publish(naming.authority()).toString(),
                ssh.map(doors -> SshOpening.facts(config, doors)).orElse(null));
        facts = now;
        files.announce(now);
        opened.push(files::withdraw);
        readiness.begin();
        LOG.info("answering at {}", now.url());
    }

    /** Strangers do not get to a process that is there to be away from them. */
    private Optional<SshDoors> openSsh(Control control) {
        Optional<SshDoors> doors = config.roles().areAll() ? SshOpening.open(config, control) : Optional.empty();
        doors.ifPresent(opened::push);
        return doors;
    }

    /** Doors of this process call control directly; others come with a pass. */
    private ServerFacts.Ports openDoors(
            Control control, Readiness readiness, Naming naming, Optional<Integer> sshPort) {
        if (!config.roles().areAll()) {
            InsideServer inside = InsideServer.open(
                    config.roles().inside(), new InsideCertificates(config).control(), control, readiness::obstacle);
            opened.push(inside);
            LOG.info("listening for doors at port {}", inside.port());
        }
        if (!config.roles().has(Role.API)) {
            return new ServerFacts.Ports(config.httpPort(), config.httpsPort(), null, null);
        }
        ApiServer api = Doors.api(
                config, naming.certificates().context(), naming.pages()::answer, control, readiness::obstacle);
        opened.push(api);
        return new ServerFacts.Ports(
                api.port(),
                api.securePort().orElseThrow(),
                sshPort.orElse(null),
                naming.dnsPort().orElse(null));
    }

    private static Instant now() {
        return Instant.now().truncatedTo(ChronoUnit.MILLIS);
    }

    private Entrance entrance(AccountRecord accounts, Boxes all) {
        Optional<Logins> logins = config.login().map(login -> {
            Issuer issuer = login.open();
            opened.push(issuer);
            return new Logins(issuer, Clock.systemUTC());
        });
        Admission admission = config.login().map(LoginConfig::admission).orElseGet(Admission::nobody);
        return new Entrance(accounts, all, logins, admission, InstantSource.system());
    }

    private Settings settings(String accelerator) {
        return new Settings(config.image(), config.size(), config.sleep(), nodeName(), accelerator, USER, USER_HOME);
    }

    private static String nodeName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (IOException e) {
            return "localhost";
        }
    }

    /** Which server this is. */
    ServerFacts facts() {
        return Optional.ofNullable(facts)
                .orElseThrow(() -> new BoxdException(ErrorCode.UNAVAILABLE, "the server is still being opened"));
    }

    @Override
    public boolean awaitEnd(Duration time) throws InterruptedException {
        return closed.await(time.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Closes the doors first. Boxes run on, unless whoever ends this server has asked for their hibernation. */
    @Override
    public void close() {
        if (!closing.compareAndSet(false, true)) {
            return;
        }
        Boxes open = boxes;
        while (!opened.isEmpty()) {
            AutoCloseable room = opened.pop();
            if (open != null && room.equals(open)) {
                hibernateIfWished(open);
            }
            try {
                room.close();
            } catch (Exception e) {
                LOG.error("a room did not close in order", e);
            }
        }
        LOG.info("ended");
        closed.countDown();
    }

    private void hibernateIfWished(Boxes open) {
        if (!files.hibernationIsWished()) {
            return;
        }
        try {
            LOG.info("hibernating all boxes");
            open.hibernateAll(Deadline.in(HIBERNATING));
            files.forgetWish();
        } catch (RuntimeException e) {
            LOG.error("not all boxes could be hibernated", e);
        }
    }
}
