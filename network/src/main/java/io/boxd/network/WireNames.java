package io.boxd.network;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * What things of one instance are called on the host.
 *
 * @param instance its six digits
 */
record WireNames(String instance) {
    /** Where iproute2 keeps namespaces that have names. */
    static final Path NAMESPACES = Path.of("/run/netns");

    /** Begins the name of every wire's interface on the host, of any instance. */
    static final String ANY_WIRE = "bx-";

    /** The same names in every namespace. */
    static final String TAP = "tap0";

    static final String UP = "up0";

    private static final int ID_DIGITS = 4;

    /** The id of the wire with this slot. */
    static String id(int slot) {
        return String.format("%04x", slot);
    }

    static int slot(String id) {
        return Integer.parseInt(id, 16);
    }

    String namespace(String id) {
        return "boxd-" + instance + "-" + id;
    }

    /** The wires of which there is a namespace. */
    Set<Integer> namespaceSlots() {
        if (!Files.isDirectory(NAMESPACES)) {
            return Set.of();
        }
        try (Stream<Path> entries = Files.list(NAMESPACES)) {
            return slots(
                    "boxd-" + instance + "-",
                    entries.map(entry -> entry.getFileName().toString()));
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.INTERNAL, "cannot look into " + NAMESPACES, e);
        }
    }

    /** The wires of which there is an interface on the host. */
    Set<Integer> interfaceSlots() {
        return slots(ANY_WIRE + instance + "-", Interfaces.names().stream());
    }

    Optional<String> idOfInterface(String name) {
        OptionalInt slot = slotAfter(ANY_WIRE + instance + "-", name);
        return slot.isPresent() ? Optional.of(id(slot.getAsInt())) : Optional.empty();
    }

    private static Set<Integer> slots(String prefix, Stream<String> names) {
        Set<Integer> slots = new TreeSet<>();
        names.forEach(name -> slotAfter(prefix, name).ifPresent(slots::add));
        return slots;
    }

    private static OptionalInt slotAfter(String prefix, String name) {
        return Optional.of(name)
                .filter(text -> text.startsWith(prefix))
                .map(text -> text.substring(prefix.length()))
                .filter(text -> text.matches("[0-9a-f]{" + ID_DIGITS + "}"))
                .map(text -> OptionalInt.of(slot(text)))
                .orElse(OptionalInt.empty());
    }

    /** The wire's interface in the host's namespace; at most fifteen characters. */
    String hostInterface(String id) {
        return ANY_WIRE + instance + "-" + id;
    }

    /** Matches the host's interface of every wire of this instance, and the gateway's. */
    String hostInterfaces() {
        return ANY_WIRE + instance + "-*";
    }

    /** The instance's own interface, with the address that machines see the host at. */
    String gateway() {
        return ANY_WIRE + instance + "-gw";
    }

    String table() {
        return "boxd_" + instance;
    }
}
