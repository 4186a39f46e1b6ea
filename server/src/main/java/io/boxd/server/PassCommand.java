package io.boxd.server;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.linux.FileOwner;
import io.boxd.verbs.Request;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Makes the file by which doors in another process get to control; on the host of control only. */
final class PassCommand {
    private static final String PRIVATE = "rw-------";

    private final ServerConfig config;

    PassCommand(ServerConfig config) {
        this.config = config;
    }

    void run(Request request) {
        if (!HostCheck.isRoot()) {
            throw new BoxdException(
                    ErrorCode.PERMISSION_DENIED, "only root can let doors in", "sudo boxd pass FILE", null);
        }
        if (config.roles().insidePort() == 0) {
            throw new BoxdException(
                    ErrorCode.INVALID_ARGUMENT,
                    "control listens for doors at any port that is free, which a pass cannot name",
                    "Choose one: inside_port in the configuration, or BOXD_INSIDE_PORT.",
                    null);
        }
        Set<String> doors = doors(Optional.ofNullable(request.text("doors")));
        Optional<HostUser> user = Optional.ofNullable(request.text("user")).map(PassCommand::user);
        Path file = Path.of(String.valueOf(request.text("file"))).toAbsolutePath();
        new InstanceFiles(config.home()).make();
        Pass.make(config, doors).write(file);
        user.ifPresent(owner -> FileOwner.give(file, owner.uid(), PRIVATE));
        Screen.say("A pass for " + String.join(", ", doors) + " is in " + file + ", readable by "
                + user.map(HostUser::name).orElse("root") + " only.");
        Screen.say("Begin the doors with it: boxd serve --roles=" + String.join(",", doors) + " --pass=" + file);
    }

    private static HostUser user(String name) {
        return HostUser.find(name)
                .orElseThrow(() -> new BoxdException(ErrorCode.NOT_FOUND, "this host has no user " + name));
    }

    /** Nothing said: all that there are. */
    private static Set<String> doors(Optional<String> said) {
        Set<Role> roles = said.isEmpty()
                ? EnumSet.allOf(Role.class).stream().filter(Role::isDoor).collect(Collectors.toSet())
                : Roles.parse(said.get()).orElse(Set.of());
        if (roles.isEmpty() || !roles.stream().allMatch(Role::isDoor)) {
            throw new BoxdException(
                    ErrorCode.INVALID_ARGUMENT,
                    "doors are their names with commas between: "
                            + EnumSet.allOf(Role.class).stream()
                                    .filter(Role::isDoor)
                                    .map(Role::wireName)
                                    .collect(Collectors.joining(", ")));
        }
        return roles.stream().map(Role::wireName).collect(Collectors.toCollection(TreeSet::new));
    }
}
