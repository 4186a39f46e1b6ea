package io.boxd.control;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Images that are only names, for tests of doors. */
public final class TestingImages implements Images {
    private final List<ImageFacts> images = new ArrayList<>(List.of(facts("base"), facts("tiny")));

    private static ImageFacts facts(String name) {
        return new ImageFacts(name, "bookworm", "system", List.of(), 1_000_000, true, "0123");
    }

    @Override
    public synchronized List<ImageFacts> list() {
        return List.copyOf(images);
    }

    @Override
    public synchronized void require(String name) {
        if (images.stream().noneMatch(image -> image.name().equals(name))) {
            throw new BoxdException(ErrorCode.NOT_FOUND, "there is no image '" + name + "'", "Try base.", null);
        }
    }

    @Override
    public synchronized ImageFacts build(String name, Optional<String> recipe, Deadline deadline) {
        ImageFacts built = facts(name);
        images.removeIf(image -> image.name().equals(name));
        images.add(built);
        return built;
    }

    @Override
    public synchronized void remove(String name) {
        require(name);
        images.removeIf(image -> image.name().equals(name));
    }
}
