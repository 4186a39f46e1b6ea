package io.boxd.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.time.Duration;

/**
 * A socket of a family that Java does not know, with a bound on how long a call may wait.
 *
 * <p>Belongs to the network namespace of the thread that opened it. Not thread-safe.
 */
final class RawSocket implements AutoCloseable {
    private static final MethodHandle SOCKET = Native.bind("socket", JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT);
    private static final MethodHandle SEND_TO =
            Native.bind("sendto", JAVA_LONG, JAVA_INT, ADDRESS, Native.SIZE_T, JAVA_INT, ADDRESS, JAVA_INT);
    private static final MethodHandle RECEIVE =
            Native.bind("recv", JAVA_LONG, JAVA_INT, ADDRESS, Native.SIZE_T, JAVA_INT);
    private static final MethodHandle SET_OPTION =
            Native.bind("setsockopt", JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT);

    private static final int SOCK_CLOEXEC = 0x80000;
    private static final int SOL_SOCKET = 1;
    private static final int SO_RECEIVE_TIMEOUT = 20;
    private static final int SO_SEND_TIMEOUT = 21;

    private final String what;
    private final int fd;
    private boolean closed;

    private RawSocket(String what, int fd) {
        this.what = what;
        this.fd = fd;
    }

    static RawSocket open(String what, int family, int type, int protocol, Duration patience) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment captured = Native.newErrno(arena);
            int fd = (int) SOCKET.invokeExact(captured, family, type | SOCK_CLOEXEC, protocol);
            if (fd < 0) {
                throw Native.failure("opening a " + what + " socket", captured);
            }
            RawSocket socket = new RawSocket(what, fd);
            MemorySegment time = arena.allocate(16, 8);
            time.set(ValueLayout.JAVA_LONG, 0, patience.toSeconds());
            time.set(ValueLayout.JAVA_LONG, 8, patience.toNanosPart() / 1000L);
            socket.setOption(SO_RECEIVE_TIMEOUT, time);
            socket.setOption(SO_SEND_TIMEOUT, time);
            return socket;
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw Native.impossible(e);
        }
    }

    private void setOption(int option, MemorySegment value) throws Throwable {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment captured = Native.newErrno(arena);
            int result = (int) SET_OPTION.invokeExact(captured, fd, SOL_SOCKET, option, value, (int) value.byteSize());
            if (result != 0) {
                BoxdException failure = Native.failure("limiting a " + what + " socket", captured);
                close();
                throw failure;
            }
        }
    }

    /** Sends one message; the address may be empty for a peer that the family implies. */
    void send(MemorySegment message, MemorySegment address) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment captured = Native.newErrno(arena);
            long sent = (long) SEND_TO.invokeExact(
                    captured, fd, message, message.byteSize(), 0, address, (int) address.byteSize());
            if (sent != message.byteSize()) {
                throw Native.failure("sending to a " + what + " socket", captured);
            }
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw Native.impossible(e);
        }
    }

    /** Waits for one message and returns its length; a message that does not fit is an error. */
    int receive(MemorySegment into) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment captured = Native.newErrno(arena);
            long received = (long) RECEIVE.invokeExact(captured, fd, into, into.byteSize(), 0);
            if (received < 0) {
                throw Native.failure("waiting for a " + what + " socket", captured);
            }
            if (received >= into.byteSize()) {
                throw new BoxdException(ErrorCode.INTERNAL, "a " + what + " message is longer than expected");
            }
            return (int) received;
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw Native.impossible(e);
        }
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            Native.Files.close(fd);
        }
    }
}
