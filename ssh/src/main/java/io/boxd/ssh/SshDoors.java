package io.boxd.ssh;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.control.Control;
import io.boxd.control.Credential;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Function;
import org.apache.sshd.common.SshConstants;
import org.apache.sshd.common.channel.Channel;
import org.apache.sshd.common.channel.ChannelFactory;
import org.apache.sshd.common.global.KeepAliveHandler;
import org.apache.sshd.common.keyprovider.KeyPairProvider;
import org.apache.sshd.common.session.Session;
import org.apache.sshd.common.session.SessionHeartbeatController.HeartbeatType;
import org.apache.sshd.core.CoreModuleProperties;
import org.apache.sshd.server.SshServer;
import org.apache.sshd.server.global.NoMoreSessionsHandler;
import org.apache.sshd.server.global.OpenSshHostKeysHandler;
import org.apache.sshd.server.session.ServerSession;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The server of SSH: everybody with a key is heard, and the name that they say chooses the door. */
public final class SshDoors implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SshDoors.class);

    private final SshConfig config;
    private final Control control;
    private final Doors doors;
    private final HostIdentity identity;
    private final Gate gate = new Gate(InstantSource.system());
    private final SshServer server = SshServer.setUpDefaultServer();

    private SshDoors(SshConfig config, Control control, HostIdentity identity) {
        this.config = config;
        this.control = control;
        this.doors = new Doors(control);
        this.identity = identity;
    }

    /** Opens them; returns when they answer. */
    public static SshDoors open(SshConfig config, Control control) {
        HostIdentity identity = HostIdentity.open(config.keys(), HostNames.of(config.domain()));
        SshDoors doors = new SshDoors(config, control, identity);
        doors.begin();
        return doors;
    }

    private void begin() {
        server.setHost(config.bind().getHostAddress());
        server.setPort(config.port());
        server.setKeyPairProvider(KeyPairProvider.wrap(identity.key()));
        server.setHostKeyCertificateProvider(_ -> List.of(identity.certificate()));
        Algorithms.set(server);
        setLimits();
        server.setUserAuthFactories(List.of(KeyAuthentication.factory()));
        server.setSessionFactory(new Reception(server, gate));
        server.addSessionListener(new Guests(this::isKnown));
        server.setChannelFactories(channels());
        server.setSubsystemFactories(List.of());
        server.setForwardingFilter(null);
        server.setGlobalRequestHandlers(
                List.of(KeepAliveHandler.INSTANCE, NoMoreSessionsHandler.INSTANCE, OpenSshHostKeysHandler.INSTANCE));
        try {
            server.start();
        } catch (IOException e) {
            throw new BoxdException(
                    ErrorCode.UNAVAILABLE,
                    "the SSH port " + config.port() + " cannot be opened: " + e.getMessage(),
                    "Choose another: BOXD_SSH_PORT, or ssh_port in the configuration; off is none.",
                    e);
        }
    }

    private void setLimits() {
        CoreModuleProperties.SERVER_IDENTIFICATION.set(server, "boxd-" + config.version());
        CoreModuleProperties.AUTH_TIMEOUT.set(server, SshLimits.LOGIN);
        CoreModuleProperties.MAX_AUTH_REQUESTS.set(server, SshLimits.KEY_OFFERS);
        CoreModuleProperties.MAX_CONCURRENT_CHANNELS.set(server, SshLimits.CHANNELS);
        CoreModuleProperties.WINDOW_SIZE.set(server, SshLimits.WINDOW_BYTES);
        CoreModuleProperties.MAX_PACKET_SIZE.set(server, SshLimits.PACKET_BYTES);
        CoreModuleProperties.WAIT_FOR_SPACE_TIMEOUT.set(server, SshLimits.SLOWEST_READER);
        CoreModuleProperties.IDLE_TIMEOUT.set(server, Duration.ZERO);
        CoreModuleProperties.NIO2_READ_TIMEOUT.set(server, Duration.ZERO);
        CoreModuleProperties.TCP_NODELAY.set(server, true);
        CoreModuleProperties.SOCKET_KEEPALIVE.set(server, true);
        CoreModuleProperties.HEARTBEAT_NO_REPLY_MAX.set(server, SshLimits.HEARTBEATS_UNANSWERED);
        server.setSessionHeartbeat(HeartbeatType.IGNORE, SshLimits.HEARTBEAT);
    }

    private boolean isKnown(String fingerprint) {
        try {
            control.identify(Doors.stranger("unknown"), new Credential.Key(fingerprint));
            return true;
        } catch (BoxdException e) {
            if (e.code() == ErrorCode.UNAUTHENTICATED) {
                return false;
            }
            throw e;
        }
    }

    /** Channels of connections that have signed. */
    private record Channels(String name, Function<Visitor, Channel> making) implements ChannelFactory {
        @Override
        public String getName() {
            return name;
        }

        @Override
        public Channel createChannel(Session session) {
            ServerSession known = (ServerSession) session;
            return making.apply(new Visitor(
                    KeyAuthentication.proven(known),
                    known.getUsername(),
                    Source.address(known.getIoSession().getRemoteAddress())));
        }
    }

    private List<ChannelFactory> channels() {
        return List.of(
                new Channels("session", visitor -> new DoorChannel(doors, visitor)),
                new Channels("direct-tcpip", visitor -> new DialChannel(doors::dial, visitor, DialChannel::port)),
                new Channels(
                        "direct-streamlocal@openssh.com",
                        visitor -> new DialChannel(doors::dial, visitor, DialChannel::socket)));
    }

    /** At which they answer. */
    public int port() {
        return server.getPort();
    }

    /** Tells clients that the server ends; commands in boxes run on. */
    @Override
    public void close() {
        for (Session session : server.getActiveSessions()) {
            Departures.note(session, Leaving.SENT_AWAY);
            try {
                session.disconnect(SshConstants.SSH2_DISCONNECT_BY_APPLICATION, "the server ends; connect again soon");
            } catch (IOException e) {
                LOG.debug("a client could not be told that the server ends", e);
            }
        }
        try {
            server.close(false).await(SshLimits.CLOSING);
        } catch (IOException e) {
            LOG.debug("the doors did not close in order", e);
        }
        server.close(true);
    }

    /** Connections that there are now, of strangers, too. */
    int connections() {
        return gate.connections();
    }

    /** The authority by which clients know this server, as it stands in files of OpenSSH. */
    public String authority() {
        return identity.publicAuthority();
    }

    /** Under which clients can keep this server, wherever it is. */
    public String alias() {
        return identity.alias();
    }
}
