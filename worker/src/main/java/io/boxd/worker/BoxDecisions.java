package io.boxd.worker;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * What each command changes; a pure function of the rows and the command.
 *
 * <p>That names of boxes and labels of snapshots belong to one only is decided here and nowhere else; names come from
 * one stock with those of other books.
 */
final class BoxDecisions {
    private BoxDecisions() {}

    /** Where nobody else has names. */
    static List<RowChange> of(BoxRows rows, BoxCommand command) {
        return of(rows, command, _ -> false);
    }

    static List<RowChange> of(BoxRows rows, BoxCommand command, Predicate<String> takenElsewhere) {
        return switch (command) {
            case BoxCommand.Reserve reserve -> reserve(rows, reserve, takenElsewhere);
            case BoxCommand.Made made -> made(rows, made);
            case BoxCommand.Settle settle ->
                condition(rows, settle.box(), was -> was.settled(settle.standing(), settle.reason(), settle.at()));
            case BoxCommand.Rename(String box, String name) -> {
                requireFree(rows, name, box, takenElsewhere);
                yield settings(rows, box, was -> was.named(name));
            }
            case BoxCommand.Label label -> settings(rows, label.box(), was -> was.labelled(label.labels()));
            case BoxCommand.Sleep(String box, SleepRules rules) -> settings(rows, box, was -> was.sleeping(rules));
            case BoxCommand.Admit(String box, Doorway doorway) -> settings(rows, box, was -> was.reachedBy(doorway));
            case BoxCommand.Resize resize -> resize(rows, resize);
            case BoxCommand.Adopt(String from, String to) ->
                rows.boxes().values().stream()
                        .filter(row -> row.owner().equals(from))
                        .<RowChange>map(row -> new RowChange.PutBox(row.of(to)))
                        .toList();
            case BoxCommand.Reach reach -> condition(rows, reach.box(), was -> was.at(reach.addresses()));
            case BoxCommand.Busy busy -> condition(rows, busy.box(), was -> was.busy(Optional.of(later(was, busy))));
            case BoxCommand.Remember remember ->
                remember.boxes().stream()
                        .flatMap(box -> condition(rows, box, was -> was.having(remember.ran())).stream())
                        .toList();
            case BoxCommand.Keep keep -> keep(rows, keep);
            case BoxCommand.Forget forget ->
                forget.snapshots().stream()
                        .<RowChange>map(id ->
                                new RowChange.DropSnapshot(rows.snapshot(id).id()))
                        .toList();
            case BoxCommand.Intend(String box, Intent intent, KeptRow left) -> {
                List<RowChange> changes = new ArrayList<>(keep(rows, left));
                changes.addAll(condition(rows, box, was -> was.intending(Optional.of(intent))));
                yield changes;
            }
            case BoxCommand.Become become -> become(rows, become);
            case BoxCommand.Abandon(String box) -> abandon(rows, box);
            case BoxCommand.Doom doom ->
                doom.boxes().stream()
                        .flatMap(box -> doom(rows, box, doom.at()).stream())
                        .toList();
            case BoxCommand.Remove(List<String> boxes) -> remove(rows, boxes);
            case BoxCommand.HostSeen(String boot) -> List.of(new RowChange.PutBoot(boot));
            case BoxCommand.Import rowsOfBefore -> bring(rowsOfBefore);
        };
    }

    /** What to answer to a command that was decided on with these rows. */
    static Outcome outcome(BoxRows rows, BoxCommand command) {
        return switch (command) {
            case BoxCommand.Reserve reserve ->
                rows.before(reserve.key())
                        .map(Outcome::again)
                        .orElseGet(() -> new Outcome(
                                reserve.boxes().stream().map(BoxRow::id).toList(), Optional.empty(), false));
            case BoxCommand.Keep keep ->
                rows.before(keep.key())
                        .map(Outcome::again)
                        .orElseGet(() -> new Outcome(
                                List.of(), Optional.of(keep.snapshot().id()), false));
            case BoxCommand.Made _,
                    BoxCommand.Settle _,
                    BoxCommand.Rename _,
                    BoxCommand.Label _,
                    BoxCommand.Sleep _,
                    BoxCommand.Admit _,
                    BoxCommand.Resize _,
                    BoxCommand.Reach _,
                    BoxCommand.Busy _,
                    BoxCommand.Remember _,
                    BoxCommand.Forget _,
                    BoxCommand.Intend _,
                    BoxCommand.Become _,
                    BoxCommand.Abandon _,
                    BoxCommand.Doom _,
                    BoxCommand.Remove _,
                    BoxCommand.HostSeen _,
                    BoxCommand.Adopt _,
                    BoxCommand.Import _ -> Outcome.plain();
        };
    }

    private static List<RowChange> reserve(BoxRows rows, BoxCommand.Reserve command, Predicate<String> takenElsewhere) {
        if (rows.before(command.key()).isPresent()) {
            return List.of();
        }
        command.allowances()
                .forEach(allowance -> allowance.requireBoxes(claims(rows.boxes().values()), claims(command.boxes())));
        List<RowChange> changes = new ArrayList<>();
        HashSet<String> names = new HashSet<>();
        long number = rows.nextBoxNumber();
        for (BoxRow box : command.boxes()) {
            requireFree(rows, box.name(), box.id(), takenElsewhere);
            if (!names.add(box.name()) || rows.boxes().containsKey(box.id())) {
                throw taken(box.name());
            }
            changes.add(new RowChange.PutBox(box.numbered(number++)));
        }
        command.key().ifPresent(key -> {
            List<String> ids = command.boxes().stream().map(BoxRow::id).toList();
            changes.addAll(remember(
                    rows,
                    new KeyRow(
                            key,
                            ids,
                            Optional.empty(),
                            command.boxes().getFirst().createdAt())));
        });
        return changes;
    }

    /** Time comes with commands: with each new key those are forgotten that are too old by then. */
    private static List<RowChange> remember(BoxRows rows, KeyRow row) {
        List<RowChange> changes = new ArrayList<>();
        rows.keys().values().stream()
                .filter(old -> old.isForgottenAt(row.at()))
                .forEach(old -> changes.add(new RowChange.DropKey(old.id())));
        changes.add(new RowChange.PutKey(row));
        return changes;
    }

    /** A request whose boxes never came to be may be repeated. */
    private static List<RowChange> forgetRequest(BoxRows rows, BoxRow box) {
        if (box.standing() != Standing.RESERVED) {
            return List.of();
        }
        return rows.keys().values().stream()
                .filter(row -> row.boxes().contains(box.id()))
                .<RowChange>map(row -> new RowChange.DropKey(row.id()))
                .toList();
    }

    private static List<RowChange> doom(BoxRows rows, String box, Instant at) {
        List<RowChange> changes = new ArrayList<>(forgetRequest(rows, rows.box(box)));
        changes.addAll(condition(rows, box, was -> was.settled(Standing.DOOMED, "", at)));
        return changes;
    }

    private static List<RowChange> bring(BoxCommand.Import command) {
        List<RowChange> changes = new ArrayList<>();
        command.boxes().forEach(row -> changes.add(new RowChange.PutBox(row)));
        command.snapshots().forEach(row -> changes.add(new RowChange.PutSnapshot(row)));
        changes.add(new RowChange.PutBoot(command.boot()));
        return changes;
    }

    private static void requireFree(BoxRows rows, String name, String id, Predicate<String> takenElsewhere) {
        if (takenElsewhere.test(name)) {
            throw new BoxdException(
                    ErrorCode.ALREADY_EXISTS, "the name " + name + " is taken", "Choose another name.", null);
        }
        if (rows.named(name).filter(row -> !row.id().equals(id)).isPresent()) {
            throw taken(name);
        }
    }

    private static BoxdException taken(String name) {
        return new BoxdException(
                ErrorCode.ALREADY_EXISTS, "there is a box " + name + " already", "Choose another name.", null);
    }

    private static List<RowChange> made(BoxRows rows, BoxCommand.Made made) {
        List<RowChange> changes = new ArrayList<>();
        for (int i = 0; i < made.boxes().size(); i++) {
            BoxRow row = rows.box(made.boxes().get(i));
            BoxCondition condition = row.condition().settled(Standing.LIVE, "", made.at());
            List<String> addresses = made.addresses().get(i);
            changes.add(new RowChange.PutBox(row.made(made.createMillis(), made.readyMillis())
                    .with(addresses.isEmpty() ? condition : condition.at(addresses))));
        }
        return changes;
    }

    private static Instant later(BoxCondition was, BoxCommand.Busy busy) {
        return was.busyUntil().filter(until -> until.isAfter(busy.until())).orElse(busy.until());
    }

    private static List<RowChange> keep(BoxRows rows, BoxCommand.Keep command) {
        if (rows.before(command.key()).isPresent()) {
            return List.of();
        }
        KeptRow snapshot = command.snapshot();
        requireRoom(rows, command);
        List<RowChange> changes = new ArrayList<>(keep(rows, snapshot));
        command.key()
                .ifPresent(key -> changes.addAll(remember(
                        rows,
                        new KeyRow(
                                key,
                                List.of(),
                                Optional.of(snapshot.id()),
                                snapshot.snapshot().createdAt()))));
        return changes;
    }

    private static List<RowChange> keep(BoxRows rows, KeptRow snapshot) {
        Optional<String> label = snapshot.snapshot().label();
        boolean used = rows.snapshots().containsKey(snapshot.id())
                || label.filter(name -> isSnapshot(rows, name)).isPresent();
        if (used) {
            throw new BoxdException(
                    ErrorCode.ALREADY_EXISTS,
                    "there is a snapshot " + label.orElse(snapshot.id()) + " already",
                    "Choose another label.",
                    null);
        }
        KeptRow numbered = new KeptRow(
                snapshot.snapshot(),
                rows.nextSnapshotNumber(),
                snapshot.instant(),
                snapshot.memory(),
                snapshot.image(),
                snapshot.size(),
                snapshot.environment(),
                snapshot.doorway());
        List<RowChange> changes = new ArrayList<>(List.of(new RowChange.PutSnapshot(numbered)));
        // What comes next in this box goes back to what was kept just now.
        rows.boxes().values().stream()
                .filter(row -> row.id().equals(snapshot.box()))
                .forEach(row -> changes.add(
                        new RowChange.PutBox(row.with(row.condition().from(Optional.of(snapshot.id()))))));
        return changes;
    }

    /** Those of boxes that are gone are nobody's. */
    private static void requireRoom(BoxRows rows, BoxCommand.Keep command) {
        if (command.allowances().isEmpty()) {
            return;
        }
        List<Claim> present = rows.snapshots().values().stream()
                .flatMap(kept -> Optional.ofNullable(rows.boxes().get(kept.box())).stream())
                .map(Claim::of)
                .toList();
        Claim box = Claim.of(rows.box(command.snapshot().box()));
        command.allowances().forEach(allowance -> allowance.requireSnapshot(present, box));
    }

    private static List<Claim> claims(Collection<BoxRow> rows) {
        return rows.stream().map(Claim::of).toList();
    }

    private static List<RowChange> resize(BoxRows rows, BoxCommand.Resize command) {
        BoxRow box = rows.box(command.box());
        long more = command.size().diskBytes() - box.settings().size().diskBytes();
        command.allowances()
                .forEach(
                        allowance -> allowance.requireGrowth(claims(rows.boxes().values()), Claim.of(box), more));
        return settings(rows, box.id(), was -> was.sized(command.size()));
    }

    private static boolean isSnapshot(BoxRows rows, String name) {
        return rows.snapshots().values().stream()
                .anyMatch(row -> row.snapshot().label().equals(Optional.of(name))
                        || row.id().equals(name));
    }

    private static List<RowChange> become(BoxRows rows, BoxCommand.Become become) {
        BoxRow row = rows.box(become.box());
        return List.of(new RowChange.PutBox(row.with(row.settings().sized(become.size()))
                .with(row.condition().from(become.cameFrom()).intending(Optional.empty()))));
    }

    private static List<RowChange> abandon(BoxRows rows, String box) {
        BoxRow row = rows.box(box);
        Optional<Intent> intent = row.condition().intent();
        if (intent.isEmpty()) {
            return List.of();
        }
        KeptRow left = rows.snapshots().get(intent.get().left());
        List<RowChange> changes = new ArrayList<>();
        BoxCondition condition = row.condition().intending(Optional.empty());
        if (left != null) {
            condition = condition.from(left.snapshot().parent());
            changes.add(new RowChange.DropSnapshot(left.id()));
        }
        changes.add(new RowChange.PutBox(row.with(condition)));
        return changes;
    }

    private static List<RowChange> remove(BoxRows rows, List<String> boxes) {
        List<RowChange> changes = new ArrayList<>();
        for (String box : boxes) {
            changes.addAll(forgetRequest(rows, rows.box(box)));
            changes.add(new RowChange.DropBox(box));
            rows.snapshotsOf(box).stream()
                    .filter(kept -> kept.snapshot().label().isEmpty())
                    .forEach(kept -> changes.add(new RowChange.DropSnapshot(kept.id())));
        }
        return changes;
    }

    private static List<RowChange> settings(BoxRows rows, String box, UnaryOperator<BoxSettings> change) {
        BoxRow row = rows.box(box);
        return List.of(new RowChange.PutBox(row.with(change.apply(row.settings()))));
    }

    private static List<RowChange> condition(BoxRows rows, String box, UnaryOperator<BoxCondition> change) {
        BoxRow row = rows.box(box);
        return List.of(new RowChange.PutBox(row.with(change.apply(row.condition()))));
    }
}
