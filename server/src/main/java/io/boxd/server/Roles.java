package io.boxd.server;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Which part of an instance a process is, and how the parts find each other.
 *
 * @param insideBind the address at which control listens for doors in other processes
 * @param insidePort 0 for any that is free
 * @param pass the file by which doors in this process get to control in another
 */
record Roles(Set<Role> here, InetAddress insideBind, int insidePort, Optional<Path> pass) {
    Roles {
        here = Set.copyOf(here);
    }

    /** Names with commas between; nothing if one is not known. */
    static Optional<Set<Role>> parse(String text) {
        Set<Role> roles = EnumSet.noneOf(Role.class);
        for (String word : text.split(",", -1)) {
            Optional<Role> role = Role.named(word.strip());
            if (role.isEmpty()) {
                return Optional.empty();
            }
            roles.add(role.get());
        }
        return Optional.of(roles);
    }

    /** Whether nothing of the instance is in another process. */
    boolean areAll() {
        return here.equals(EnumSet.allOf(Role.class));
    }

    boolean has(Role role) {
        return here.contains(role);
    }

    /** The doors of this process, by their names. */
    Set<String> doors() {
        return here.stream().filter(Role::isDoor).map(Role::wireName).collect(Collectors.toCollection(TreeSet::new));
    }

    InetSocketAddress inside() {
        return new InetSocketAddress(insideBind, insidePort);
    }
}
