package io.boxd.ledger;

import io.boxd.common.BoxdException;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.thirdparty.com.google.protobuf.InvalidProtocolBufferException;
import org.jspecify.annotations.Nullable;

/**
 * Reads the log before anybody writes to it, and compares it with the state: what the state says it follows from must
 * be there, entry by entry.
 */
final class LogCheck {
    private final LogFolder folder;
    private final Books books;
    private final Position state;
    private final Map<Long, LogEntryProto> configurations = new HashMap<>();
    private final Position from;
    private Chain chain;
    private boolean met;
    private long lastTerm;

    private LogCheck(LogFolder folder, Books books, Position state, Position from) {
        this.folder = folder;
        this.books = books;
        this.state = state;
        this.from = from;
        this.chain = from.chain();
        this.met = from.index() == state.index();
    }

    /** Throws unless log, state and snapshots fit together; cuts off what was being written when a server ended. */
    static void check(LogFolder folder, Books books, Path database, Position state, List<StateFile> snapshots) {
        Position from = Position.beginning();
        for (StateFile snapshot : snapshots) {
            if (snapshot.position().index() <= state.index()) {
                from = snapshot.position();
            }
        }
        if (from.index() == state.index() && !from.equals(state)) {
            throw Damage.of(database, "it is not what the snapshot of entry " + state.index() + " has kept");
        }
        if (snapshots.size() > 1) {
            // Left by a server that ended while it removed them.
            folder.purge(snapshots.getFirst().position().index());
        }
        long kept = snapshots.isEmpty()
                ? Position.NONE
                : snapshots.getFirst().position().index();
        new LogCheck(folder, books, state, from).read(database, kept);
    }

    /** @param kept after which entry the log is complete: that of the oldest snapshot */
    private void read(Path database, long kept) {
        List<Segment> segments = Segment.in(folder.current());
        if (segments.isEmpty()) {
            requireEmptyIsRight(kept);
            return;
        }
        if (segments.getFirst().start() > kept + 1) {
            throw Damage.missing(
                    folder.current()
                            .resolve("log_%d-%d"
                                    .formatted(kept + 1, segments.getFirst().start() - 1)),
                    "the log does not go back to the oldest snapshot");
        }
        long last = segments.getFirst().start() - 1;
        for (int i = 0; i < segments.size(); i++) {
            Segment segment = segments.get(i);
            if (segment.start() != last + 1) {
                throw Damage.missing(
                        folder.current().resolve("log_%d-%d".formatted(last + 1, segment.start() - 1)),
                        "the log has a gap after entry " + last);
            }
            last = segment.read(i == segments.size() - 1, index -> index > state.index(), this::meet);
        }
        if (!met || last < state.index()) {
            throw Damage.of(
                    segments.getLast().file(),
                    "the log ends with entry %d, but the state in %s follows from entry %d"
                            .formatted(last, database.getFileName(), state.index()));
        }
        checkMetadata();
        checkConfiguration(segments.getFirst().start());
    }

    private void requireEmptyIsRight(long kept) {
        if (!met || state.index() != kept) {
            throw Damage.missing(
                    folder.current().resolve("log_inprogress_" + (kept + 1)),
                    "the state follows from entry " + state.index() + " of the log");
        }
        if (Files.exists(folder.metadata())) {
            checkMetadata();
        } else if (state.index() != Position.NONE) {
            throw Damage.missing(folder.metadata(), "the state follows from a log");
        }
    }

    private void meet(LogEntryProto entry) {
        if (entry.getTerm() < lastTerm) {
            throw Damage.of(
                    folder.current(), "entry " + entry.getIndex() + " is of an earlier term than the one before");
        }
        lastTerm = entry.getTerm();
        if (entry.hasConfigurationEntry()) {
            configurations.put(entry.getIndex(), entry);
        }
        if (!entry.hasStateMachineLogEntry() || entry.getIndex() <= from.index()) {
            return;
        }
        byte[] command = entry.getStateMachineLogEntry().getLogData().toByteArray();
        requireKnown(entry.getIndex(), command);
        if (entry.getIndex() > state.index()) {
            return;
        }
        chain = chain.then(entry.getIndex(), command);
        if (entry.getIndex() == state.index()) {
            if (!chain.equals(state.chain()) || entry.getTerm() != state.term()) {
                throw Damage.of(
                        folder.current(),
                        "its entries up to " + state.index() + " are not those the state follows from");
            }
            met = true;
        }
    }

    private void requireKnown(long index, byte[] command) {
        Entry entry;
        try {
            entry = Entry.read(command);
        } catch (BoxdException e) {
            throw Damage.of(folder.current(), "entry " + index + " is no command", e);
        }
        if (!books.knows(entry.book(), entry.version())) {
            throw Damage.newer("entry " + index + " of the log in " + folder.current());
        }
    }

    private void checkMetadata() {
        Properties found = new Properties();
        try {
            found.load(new StringReader(Files.readString(folder.metadata(), StandardCharsets.UTF_8)));
        } catch (java.nio.file.NoSuchFileException e) {
            throw Damage.missing(folder.metadata(), "it belongs to the log beside it");
        } catch (IOException | IllegalArgumentException e) {
            throw Damage.of(folder.metadata(), "it cannot be read", e);
        }
        String voted = found.getProperty("votedFor");
        if (!isAtLeast(found.getProperty("term"), Math.max(lastTerm, state.term()))
                || voted == null
                || !(voted.isEmpty() || voted.equals(LogFolder.MEMBER))) {
            throw Damage.of(folder.metadata(), "it does not belong to the log beside it");
        }
    }

    private static boolean isAtLeast(@Nullable String number, long least) {
        try {
            return number != null && Long.parseLong(number) >= least;
        } catch (NumberFormatException e) {
            return false;
        }
    }

    /** Ratis would go on with what it was told at the start. */
    private void checkConfiguration(long first) {
        byte[] bytes;
        try {
            bytes = Files.readAllBytes(folder.configuration());
        } catch (java.nio.file.NoSuchFileException e) {
            if (state.index() < first || configurations.keySet().stream().noneMatch(index -> index < state.index())) {
                return;
            }
            throw Damage.missing(folder.configuration(), "it belongs to the log beside it");
        } catch (IOException e) {
            throw Damage.of(folder.configuration(), "it cannot be read", e);
        }
        try {
            LogEntryProto kept = LogEntryProto.parseFrom(bytes);
            LogEntryProto logged = configurations.get(kept.getIndex());
            boolean fits =
                    logged == null ? kept.getIndex() < first && kept.hasConfigurationEntry() : logged.equals(kept);
            if (!fits) {
                throw Damage.of(folder.configuration(), "it is not what the log says");
            }
        } catch (InvalidProtocolBufferException e) {
            throw Damage.of(folder.configuration(), "it cannot be read", e);
        }
    }
}
