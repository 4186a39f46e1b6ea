package io.boxd.control;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import java.util.List;

/** Images that are only names, for tests of doors. */
public final class TestingImages implements Images {
    private final List<ImageFacts> images = List.of(facts("base"), facts("tiny"));

    private static ImageFacts facts(String name) {
        return new ImageFacts(name, "bookworm", "system", 1_000_000, true, "0123");
    }

    @Override
    public List<ImageFacts> list() {
        return images;
    }

    @Override
    public void require(String name) {
        if (images.stream().noneMatch(image -> image.name().equals(name))) {
            throw new BoxdException(ErrorCode.NOT_FOUND, "there is no image '" + name + "'", "Try base.", null);
        }
    }

    @Override
    public ImageFacts build(String name, Deadline deadline) {
        require(name);
        return facts(name);
    }
}
