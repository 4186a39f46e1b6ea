package io.boxd.guest;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;

/**
 * Connections out of a machine and into it, as its own programs would make them: its names, its network's rules, the
 * rights of one of its users.
 */
public final class GuestNetwork {
    private static final List<InetAddress> LOCALHOST =
            List.of(InetAddress.ofLiteral("127.0.0.1"), InetAddress.ofLiteral("::1"));
    private static final int MAX_HOST_BYTES = 255;

    private final Session session;
    private final Tasks tasks;

    GuestNetwork(Session session, Tasks tasks) {
        this.session = session;
        this.tasks = tasks;
    }

    /** The addresses that a name has for the machine, in the order in which they are to be tried. */
    public List<InetAddress> resolve(String host, Deadline deadline) {
        PayloadWriter request = tasks.request(Tasks.RESOLVE).text(host, MAX_HOST_BYTES);
        return tasks.ask(request, GuestNetwork::addresses, deadline, "looking up a name");
    }

    private static List<InetAddress> addresses(PayloadReader reader) throws ProtocolException {
        int count = reader.u8();
        if (count < 1 || count > Wire.MAX_ADDRESSES) {
            throw new ProtocolException("a name has " + count + " addresses");
        }
        List<InetAddress> found = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            found.add(reader.address());
        }
        return List.copyOf(found);
    }

    /** Connects to a TCP port of a host by its name or address. */
    public GuestConnection connect(String host, int port, Deadline deadline) {
        DialTarget target = new DialTarget.Addresses(known(host, deadline), port);
        byte[] request = target.encode((int) Math.min(deadline.leftMillis(), Integer.MAX_VALUE));
        String what = "connecting to " + target.describe();
        return opened(Tunnel.begin(session, Wire.DIAL, request, null, deadline, what), deadline);
    }

    private List<InetAddress> known(String host, Deadline deadline) {
        if (host.equalsIgnoreCase("localhost")) {
            return LOCALHOST;
        }
        return isAddress(host) ? List.of(InetAddress.ofLiteral(host)) : resolve(host, deadline);
    }

    /** Whether it is an address in digits; interfaces of this host mean nothing in a machine. */
    private static boolean isAddress(String host) {
        if (host.indexOf('%') >= 0) {
            throw new BoxdException(ErrorCode.INVALID_ARGUMENT, "an address names no interface here");
        }
        try {
            InetAddress.ofLiteral(host);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** Connects to a unix socket of the machine. */
    public GuestConnection connect(GuestPath socket, Deadline deadline) {
        PayloadWriter request = tasks.request(Tasks.CONNECT).string(socket.bytes());
        return opened(tasks.begin(request, null, deadline, "connecting to " + socket), deadline);
    }

    private static GuestConnection opened(Tunnel tunnel, Deadline deadline) {
        tunnel.awaitOpened(deadline);
        return new GuestConnection(tunnel);
    }

    /**
     * Listens on a TCP port.
     *
     * @param address of the machine: localhost, an address in digits, or empty for all
     * @param port 0 lets the machine choose
     */
    public GuestListener listen(String address, int port, Deadline deadline) {
        if (port < 0 || port > Wire.MAX_PORT) {
            throw new BoxdException(ErrorCode.INVALID_ARGUMENT, "there is no port " + port);
        }
        PayloadWriter request =
                tasks.request(Tasks.LISTEN).u8(0).address(own(address)).u16(port);
        return listener(request, deadline);
    }

    private static InetAddress own(String address) {
        if (address.isEmpty() || address.equals("*")) {
            return InetAddress.ofLiteral("::");
        }
        if (address.equalsIgnoreCase("localhost")) {
            return LOCALHOST.getFirst();
        }
        if (!isAddress(address)) {
            throw new BoxdException(
                    ErrorCode.INVALID_ARGUMENT, "a listener's address is localhost, *, or one in digits");
        }
        return InetAddress.ofLiteral(address);
    }

    /** Listens on a unix socket that must not be there yet, for its user alone. */
    public GuestListener listen(GuestPath socket, Deadline deadline) {
        return listener(tasks.request(Tasks.LISTEN).u8(1).string(socket.bytes()), deadline);
    }

    /**
     * Listens on a unix socket in a new folder that nobody but its user can look into.
     *
     * @param former where it was before and is to be again; empty for the first time
     */
    public GuestListener listenSecretly(String former, Deadline deadline) {
        PayloadWriter request = tasks.request(Tasks.LISTEN).u8(2).text(former, Wire.MAX_SOCKET_PATH_BYTES);
        return listener(request, deadline);
    }

    private GuestListener listener(PayloadWriter request, Deadline deadline) {
        return new GuestListener(session, tasks.begin(request, null, deadline, "listening in the machine"), deadline);
    }
}
