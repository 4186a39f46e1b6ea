package io.boxd.worker;

import java.time.Instant;
import java.util.Optional;

/**
 * What is written down of a box.
 *
 * @param owner whose it is
 * @param number counts the boxes of this host, in the order in which they were asked for
 * @param machineId the identity that every machine of this box has, and no other
 * @param source what it was made from: a kind, a colon, and a name or id
 */
record BoxRow(
        String id,
        String owner,
        long number,
        String machineId,
        String image,
        String source,
        Optional<String> forkedFrom,
        Instant createdAt,
        long createMillis,
        long readyMillis,
        BoxSettings settings,
        BoxCondition condition) {
    /** Whose boxes are that were made before boxes had owners, or by somebody on this host. */
    static final String LOCAL = "local";

    private static final String IMAGE = "image:";
    private static final String SNAPSHOT = "snapshot:";
    private static final String BOX = "box:";

    /** Rows of earlier versions have no owner. */
    BoxRow {
        owner = owner == null ? LOCAL : owner;
    }

    static String sourceOf(Origination origin) {
        return switch (origin) {
            case Origination.FromImage(String image) -> IMAGE + image;
            case Origination.FromSnapshot(String snapshot) -> SNAPSHOT + snapshot;
            case Origination.FromBox(String box) -> BOX + box;
        };
    }

    Origination origin() {
        String name = source.substring(source.indexOf(':') + 1);
        if (source.startsWith(IMAGE)) {
            return new Origination.FromImage(name);
        }
        return source.startsWith(SNAPSHOT) ? new Origination.FromSnapshot(name) : new Origination.FromBox(name);
    }

    String name() {
        return settings.name();
    }

    Standing standing() {
        return condition.standing();
    }

    /** The same as another owner's. */
    BoxRow of(String newOwner) {
        return new BoxRow(
                id,
                newOwner,
                number,
                machineId,
                image,
                source,
                forkedFrom,
                createdAt,
                createMillis,
                readyMillis,
                settings,
                condition);
    }

    BoxRow numbered(long newNumber) {
        return new BoxRow(
                id,
                owner,
                newNumber,
                machineId,
                image,
                source,
                forkedFrom,
                createdAt,
                createMillis,
                readyMillis,
                settings,
                condition);
    }

    BoxRow with(BoxSettings newSettings) {
        return new BoxRow(
                id,
                owner,
                number,
                machineId,
                image,
                source,
                forkedFrom,
                createdAt,
                createMillis,
                readyMillis,
                newSettings,
                condition);
    }

    BoxRow with(BoxCondition newCondition) {
        return new BoxRow(
                id,
                owner,
                number,
                machineId,
                image,
                source,
                forkedFrom,
                createdAt,
                createMillis,
                readyMillis,
                settings,
                newCondition);
    }

    BoxRow made(long newCreateMillis, long newReadyMillis) {
        return new BoxRow(
                id,
                owner,
                number,
                machineId,
                image,
                source,
                forkedFrom,
                createdAt,
                newCreateMillis,
                newReadyMillis,
                settings,
                condition);
    }
}
