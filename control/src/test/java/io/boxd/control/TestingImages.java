package io.boxd.control;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Images that are only names, for tests of doors. */
public final class TestingImages implements Images {
    private final List<ImageFacts> images = new ArrayList<>(List.of(facts("base"), facts("tiny")));

    private @Nullable ErrorCode failure;

    /** Everything that is asked from now on fails like this; with null, nothing does. */
    public synchronized void failWith(@Nullable ErrorCode code) {
        failure = code;
    }

    private void failIfTold() {
        ErrorCode code = failure;
        if (code != null) {
            throw new BoxdException(code, "a failure that the test wants");
        }
    }

    private static ImageFacts facts(String name) {
        return new ImageFacts(name, "bookworm", "system", List.of(), 1_000_000, true, "0123");
    }

    @Override
    public synchronized List<ImageFacts> list() {
        failIfTold();
        return List.copyOf(images);
    }

    @Override
    public synchronized void require(String name) {
        failIfTold();
        if (images.stream().noneMatch(image -> image.name().equals(name))) {
            throw new BoxdException(ErrorCode.NOT_FOUND, "there is no image '" + name + "'", "Try base.", null);
        }
    }

    @Override
    public synchronized ImageFacts build(String name, Optional<String> recipe, Deadline deadline) {
        failIfTold();
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
