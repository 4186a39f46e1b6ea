package io.boxd.linux;

import java.nio.file.Path;
import java.util.List;

/** One control group: a single folder on unified hosts, one for each controller on the old kind. */
public record ControlGroup(String name, List<Path> folders) {
    public ControlGroup {
        folders = List.copyOf(folders);
    }
}
