package io.boxd.ledger;

import io.boxd.common.BoxdException;
import io.boxd.linux.Durable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.thirdparty.com.google.protobuf.InvalidProtocolBufferException;

/**
 * One file of the log as Ratis writes it: a header, then entries with their lengths and sums, then zeros.
 *
 * @param start the index of its first entry
 * @param end the index of its last; empty while it is written
 */
record Segment(Path file, long start, Optional<Long> end) {
    private static final Pattern CLOSED = Pattern.compile("log_(\\d+)-(\\d+)");
    private static final Pattern OPEN = Pattern.compile("log_inprogress_(\\d+)");
    private static final byte[] HEADER = "RaftLog1".getBytes(StandardCharsets.US_ASCII);

    /** What a disk writes whole or not at all. */
    private static final int SECTOR_BYTES = 512;

    private static final int SUM_BYTES = 4;
    private static final int LONGEST_LENGTH = 5;

    /** Those in a folder, in the order of their entries. */
    static List<Segment> in(Path folder) {
        if (!Files.exists(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.flatMap(file -> of(file).stream())
                    .sorted(Comparator.comparingLong(Segment::start))
                    .toList();
        } catch (IOException e) {
            throw Durable.failure("the log in " + folder + " cannot be listed", e);
        }
    }

    private static Optional<Segment> of(Path file) {
        String name = file.getFileName().toString();
        Matcher closed = CLOSED.matcher(name);
        if (closed.matches()) {
            return Optional.of(
                    new Segment(file, Long.parseLong(closed.group(1)), Optional.of(Long.valueOf(closed.group(2)))));
        }
        Matcher open = OPEN.matcher(name);
        return open.matches()
                ? Optional.of(new Segment(file, Long.parseLong(open.group(1)), Optional.empty()))
                : Optional.empty();
    }

    /**
     * Reads all entries; returns the index of the last, or the one before the first if there is none.
     *
     * <p>The end of the last file may be torn: something was being written when the power went, and nobody was told
     * that it had been. That is cut off. Everything else that does not fit is damage.
     *
     * @param mayBeTorn whether an entry of this index may be missing; false if it is known that it was written
     */
    long read(boolean last, java.util.function.LongPredicate mayBeTorn, Consumer<LogEntryProto> entries) {
        byte[] bytes = content();
        long next = start;
        int at = header(bytes, last && mayBeTorn.test(start));
        while (at < bytes.length && bytes[at] != 0) {
            Frame frame = frame(bytes, at);
            if (frame.entry == null) {
                requireTorn(bytes, at, frame.end, next, last, mayBeTorn);
                cut(at);
                return next - 1;
            }
            if (frame.entry.getIndex() != next) {
                throw Damage.of(file, "entry %d is where entry %d should be".formatted(frame.entry.getIndex(), next));
            }
            entries.accept(frame.entry);
            next++;
            at = frame.end;
        }
        int rest = firstNonZero(bytes, at);
        if (rest < bytes.length) {
            requireTorn(bytes, at, rest + 1, next, last, mayBeTorn);
            cut(at);
        }
        if (end.isPresent() && end.get() != next - 1) {
            throw Damage.of(file, "it ends with entry %d instead of %d".formatted(next - 1, end.get()));
        }
        return next - 1;
    }

    private byte[] content() {
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw Damage.of(file, "it cannot be read: " + e.getMessage(), e);
        }
    }

    /** Where the first entry begins. */
    private int header(byte[] bytes, boolean mayBeUnfinished) {
        int whole = Math.min(HEADER.length, bytes.length);
        if (whole == HEADER.length && Arrays.equals(bytes, 0, whole, HEADER, 0, whole)) {
            return whole;
        }
        int match = Math.max(0, Arrays.mismatch(bytes, 0, whole, HEADER, 0, whole));
        if (!mayBeUnfinished || firstNonZero(bytes, match) < bytes.length) {
            throw Damage.of(file, "it does not begin like a log");
        }
        return bytes.length;
    }

    /** An entry, if what is at some place is one, and where it ends or would have ended. */
    private record Frame(@org.jspecify.annotations.Nullable LogEntryProto entry, int end) {}

    private static Frame frame(byte[] bytes, int at) {
        long length = 0;
        int cursor = at;
        for (int shift = 0; ; shift += 7) {
            if (cursor == bytes.length) {
                return new Frame(null, bytes.length);
            }
            byte next = bytes[cursor++];
            length |= (long) (next & 0x7f) << shift;
            if (next >= 0) {
                break;
            }
            if (cursor - at == LONGEST_LENGTH) {
                return new Frame(null, cursor);
            }
        }
        long end = cursor + length + SUM_BYTES;
        if (end > bytes.length) {
            return new Frame(null, bytes.length);
        }
        int sumAt = (int) (cursor + length);
        CRC32C sum = new CRC32C();
        sum.update(bytes, at, sumAt - at);
        if ((int) sum.getValue() != ByteBuffer.wrap(bytes).getInt(sumAt)) {
            return new Frame(null, (int) end);
        }
        try {
            return new Frame(LogEntryProto.parseFrom(ByteBuffer.wrap(bytes, cursor, (int) length)), (int) end);
        } catch (InvalidProtocolBufferException e) {
            return new Frame(null, (int) end);
        }
    }

    /**
     * Throws unless the end of this file looks as if it was never written whole: the file ends too early, or a sector
     * of the entry is still empty.
     */
    private void requireTorn(
            byte[] bytes, int from, int to, long index, boolean last, java.util.function.LongPredicate mayBeTorn) {
        if (last && mayBeTorn.test(index) && (to >= bytes.length || hasEmptySector(bytes, from, to))) {
            return;
        }
        throw Damage.of(file, "entry %d at byte %d is not what was written".formatted(index, from));
    }

    private static boolean hasEmptySector(byte[] bytes, int from, int to) {
        for (int sector = from / SECTOR_BYTES; sector * SECTOR_BYTES < to; sector++) {
            int begin = Math.max(from, sector * SECTOR_BYTES);
            int end = Math.min(bytes.length, (sector + 1) * SECTOR_BYTES);
            if (firstNonZero(bytes, begin) >= end) {
                return true;
            }
        }
        return false;
    }

    private static int firstNonZero(byte[] bytes, int from) {
        int at = from;
        while (at < bytes.length && bytes[at] == 0) {
            at++;
        }
        return at;
    }

    private void cut(long length) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(length);
            channel.force(true);
        } catch (IOException e) {
            throw Durable.failure("the torn end of " + file + " could not be cut off", e);
        }
    }

    void delete() {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new BoxdException(
                    io.boxd.common.ErrorCode.INTERNAL, file + " cannot be deleted: " + e.getMessage(), e);
        }
    }
}
