package io.boxd.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.boxd.common.Deadline;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Our end of a virtual network device: what the kernel sends out of it is read here, and the reverse.
 *
 * <p>The device must exist in the network namespace of the opening thread, and nobody else may be
 * attached to it. One thread reads; any thread may write or close, which ends a waiting reader.
 */
public final class TunDevice implements AutoCloseable {
    /** What passes through the device. */
    public enum Kind {
        IP_PACKETS(0x0001),
        ETHERNET_FRAMES(0x0002);

        private final int flag;

        Kind(int flag) {
            this.flag = flag;
        }
    }

    private static final MethodHandle IOCTL = Native.bindVariadic("ioctl", 2, JAVA_INT, JAVA_INT, JAVA_LONG, ADDRESS);
    private static final MethodHandle READ = Native.bind("read", JAVA_LONG, JAVA_INT, ADDRESS, Native.SIZE_T);
    private static final MethodHandle WRITE = Native.bind("write", JAVA_LONG, JAVA_INT, ADDRESS, Native.SIZE_T);
    private static final MethodHandle POLL = Native.bind("poll", JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT);
    private static final MethodHandle EVENT = Native.bind("eventfd", JAVA_INT, JAVA_INT, JAVA_INT);

    private static final long TUNSETIFF = 0x4004_54caL;
    private static final short NO_PACKET_INFO = 0x1000;
    private static final int INTERFACE_REQUEST_BYTES = 40;
    private static final int LONGEST_NAME = 15;
    private static final int MOST_PACKET_BYTES = 65_536 + 18;
    private static final short POLLIN = 1;

    private final int fd;
    private final int wakeFd;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment packet = arena.allocate(MOST_PACKET_BYTES);
    private final MemorySegment waiting = arena.allocate(16, 4);
    private final ReentrantLock reading = new ReentrantLock();
    private final ReentrantLock writing = new ReentrantLock();
    private volatile boolean closing;
    private boolean closed;

    private TunDevice(int fd, int wakeFd) {
        this.fd = fd;
        this.wakeFd = wakeFd;
    }

    /** Attaches to the device of this name. */
    public static TunDevice attach(String name, Kind kind) {
        byte[] bytes = name.getBytes(StandardCharsets.US_ASCII);
        if (bytes.length == 0 || bytes.length > LONGEST_NAME) {
            throw new IllegalArgumentException("not a name of an interface: " + name);
        }
        int fd = Native.Files.open("/dev/net/tun", Native.O_RDWR);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment request = arena.allocate(INTERFACE_REQUEST_BYTES, 8);
            MemorySegment.copy(MemorySegment.ofArray(bytes), 0, request, 0, bytes.length);
            request.set(ValueLayout.JAVA_SHORT, 16, (short) (kind.flag | NO_PACKET_INFO));
            MemorySegment captured = Native.newErrno(arena);
            int attached = (int) IOCTL.invokeExact(captured, fd, TUNSETIFF, request);
            if (attached != 0) {
                throw Native.failure("attaching to " + name, captured);
            }
            int wakeFd = (int) EVENT.invokeExact(captured, 0, Native.O_CLOEXEC);
            if (wakeFd < 0) {
                throw Native.failure("eventfd", captured);
            }
            return new TunDevice(fd, wakeFd);
        } catch (RuntimeException | Error e) {
            Native.Files.close(fd);
            throw e;
        } catch (Throwable e) {
            throw Native.impossible(e);
        }
    }

    /**
     * Waits for the next packet; null when the device was closed or the deadline has come.
     *
     * <p>Without a deadline it waits until {@link #close}: for a thread whose only work this is. Blocks
     * the operating system's thread.
     */
    public byte @Nullable [] read(@Nullable Deadline deadline) {
        reading.lock();
        try {
            while (!closing) {
                if (!awaitPacket(deadline == null ? -1 : (int) deadline.leftMillis())) {
                    return null;
                }
                try (Arena call = Arena.ofConfined()) {
                    MemorySegment captured = Native.newErrno(call);
                    long length = (long) READ.invokeExact(captured, fd, packet, packet.byteSize());
                    if (length >= 0) {
                        return packet.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
                    }
                    if (Native.errno(captured) != Native.EINTR) {
                        throw Native.failure("reading a network device", captured);
                    }
                }
            }
            return null;
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw Native.impossible(e);
        } finally {
            reading.unlock();
        }
    }

    /** Whether there is a packet, rather than the end of the wait or of the device. */
    private boolean awaitPacket(int timeoutMillis) throws Throwable {
        waiting.set(ValueLayout.JAVA_INT, 0, fd);
        waiting.set(ValueLayout.JAVA_SHORT, 4, POLLIN);
        waiting.set(ValueLayout.JAVA_INT, 8, wakeFd);
        waiting.set(ValueLayout.JAVA_SHORT, 12, POLLIN);
        try (Arena call = Arena.ofConfined()) {
            MemorySegment captured = Native.newErrno(call);
            int ready = (int) POLL.invokeExact(captured, waiting, 2L, timeoutMillis);
            if (ready < 0 && Native.errno(captured) != Native.EINTR) {
                throw Native.failure("waiting for a network device", captured);
            }
            return ready < 0 || (ready > 0 && !closing);
        }
    }

    /** Hands a packet to the kernel, as if it had come in over the device. */
    public void write(byte[] bytes) {
        writing.lock();
        try (Arena call = Arena.ofConfined()) {
            if (closing) {
                throw new IllegalStateException("the network device is closed");
            }
            MemorySegment message = call.allocate(bytes.length);
            MemorySegment.copy(MemorySegment.ofArray(bytes), 0, message, 0, bytes.length);
            MemorySegment captured = Native.newErrno(call);
            long written = (long) WRITE.invokeExact(captured, fd, message, message.byteSize());
            if (written != bytes.length) {
                throw Native.failure("writing to a network device", captured);
            }
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw Native.impossible(e);
        } finally {
            writing.unlock();
        }
    }

    @Override
    public void close() {
        closing = true;
        wakeReader();
        reading.lock();
        writing.lock();
        try {
            if (!closed) {
                closed = true;
                Native.Files.close(fd);
                Native.Files.close(wakeFd);
                arena.close();
            }
        } finally {
            writing.unlock();
            reading.unlock();
        }
    }

    private void wakeReader() {
        writing.lock();
        try (Arena call = Arena.ofConfined()) {
            if (closed) {
                return;
            }
            MemorySegment one = call.allocate(8, 8);
            one.set(ValueLayout.JAVA_LONG, 0, 1);
            long written = (long) WRITE.invokeExact(Native.newErrno(call), wakeFd, one, 8L);
            assert written == 8 : "an event counter takes a one";
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw Native.impossible(e);
        } finally {
            writing.unlock();
        }
    }
}
