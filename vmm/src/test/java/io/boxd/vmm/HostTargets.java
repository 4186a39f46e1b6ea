package io.boxd.vmm;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

/**
 * Things on the host that a hostile cell aims at, none of them protected by anything but the jail: a file
 * that everybody may read, and sockets of three kinds that everybody may connect to.
 */
final class HostTargets implements AutoCloseable {
    private static final int AF_UNIX = 1;
    private static final int SOCK_STREAM = 1;

    private final Path folder;
    private final Path secret;
    private final Path socket;
    private final ServerSocketChannel local;
    private final ServerSocket tcp;
    private final String abstractName = "boxd-test-" + Ids.random();
    private final int abstractSocket;

    HostTargets() throws IOException {
        folder = Files.createTempDirectory("boxd-targets-");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        secret = Files.writeString(folder.resolve("secret"), "for nobody in a cell\n");
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-rw-rw-"));
        socket = folder.resolve("socket");
        local = ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(UnixDomainSocketAddress.of(socket));
        Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rwxrwxrwx"));
        tcp = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        abstractSocket = listenAbstract(abstractName);
    }

    List<String> arguments() {
        List<String> arguments = new ArrayList<>();
        arguments.add("secret=" + secret);
        arguments.add("socket=" + socket);
        arguments.add("port=" + tcp.getLocalPort());
        arguments.add("abstract=" + abstractName);
        arguments.add("pid=" + ProcessHandle.current().pid());
        return arguments;
    }

    /** What the secret holds: it must be what it was, whatever was tried. */
    String secret() throws IOException {
        return Files.readString(secret);
    }

    @Override
    public void close() throws IOException {
        local.close();
        tcp.close();
        call("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT), abstractSocket);
        io.boxd.linux.FileOwner.deleteTree(folder);
    }

    /** A socket whose name begins with a zero byte, which Java's own addresses cannot express. */
    private static int listenAbstract(String name) {
        try (Arena arena = Arena.ofConfined()) {
            int socket = call(
                    "socket", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT), AF_UNIX, SOCK_STREAM, 0);
            byte[] bytes = name.getBytes(StandardCharsets.US_ASCII);
            MemorySegment address = arena.allocate(3L + bytes.length);
            address.set(java.lang.foreign.ValueLayout.JAVA_SHORT, 0, (short) AF_UNIX);
            address.asSlice(3).copyFrom(MemorySegment.ofArray(bytes));
            FunctionDescriptor bind = FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT);
            int bound = call("bind", bind, socket, address, (int) address.byteSize());
            int listening = call("listen", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT), socket, 50);
            if (socket < 0 || bound != 0 || listening != 0) {
                throw new IllegalStateException("cannot listen on an abstract socket");
            }
            return socket;
        }
    }

    private static int call(String name, FunctionDescriptor descriptor, Object... arguments) {
        Linker linker = Linker.nativeLinker();
        MemorySegment function = linker.defaultLookup().findOrThrow(name);
        MethodHandle handle = linker.downcallHandle(function, descriptor);
        try {
            return (int) handle.invokeWithArguments(arguments);
        } catch (Throwable e) {
            throw new IllegalStateException("cannot call " + name, e);
        }
    }
}
