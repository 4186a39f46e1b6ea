package io.boxd.worker;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Destroys boxes: it is written down first, so that whatever happens they will be gone. */
final class Destroyer {
    private final Workshop shop;
    private final Roster roster;
    private final Lives lives;
    private final Instants instants;

    Destroyer(Workshop shop, Roster roster, Lives lives, Instants instants) {
        this.shop = shop;
        this.roster = roster;
        this.lives = lives;
        this.instants = instants;
    }

    List<String> destroy(List<HostedBox> boxes, boolean tree, String because, Deadline deadline) {
        Set<String> ids = new LinkedHashSet<>();
        BoxRows rows = shop.record().rows();
        for (HostedBox box : boxes) {
            ids.addAll(tree ? rows.tree(box.id()) : List.of(box.id()));
        }
        List<HostedBox> all = ids.stream().map(roster::find).toList();
        shop.record().apply(new BoxCommand.Doom(List.copyOf(ids), Instant.now()));
        all.forEach(HostedBox::leave);
        List<String> gone = new ArrayList<>();
        BoxdException failure = null;
        for (HostedBox box : all) {
            try {
                lives.happen(box, new LifeEvent.Discarded(), because, deadline);
                gone.add(box.id());
            } catch (BoxdException e) {
                failure = e;
            }
        }
        remove(gone);
        if (failure != null) {
            throw failure;
        }
        return gone;
    }

    /** They have nothing any more: their rows go, and the snapshots that went with them. */
    private void remove(List<String> ids) {
        if (ids.isEmpty()) {
            return;
        }
        List<String> before = shop.record().rows().snapshots().values().stream()
                .filter(row -> ids.contains(row.box()))
                .map(KeptRow::instant)
                .toList();
        shop.record().apply(new BoxCommand.Remove(ids));
        ids.forEach(roster::remove);
        before.forEach(instants::release);
    }
}
