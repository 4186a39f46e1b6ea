package io.boxd.worker;

import java.util.Optional;

/**
 * How a box is reached by its names from outside.
 *
 * @param admittance who is let in
 * @param port that it answers by; none: the one that suits at the moment
 * @param linkKey signs the links that let strangers in to it alone; with another one, former links are worthless
 */
public record Doorway(Admittance admittance, Optional<Integer> port, Optional<String> linkKey) {
    /** Who is let in to what a box serves. */
    public enum Admittance {
        /** Whom this instance lets in unless somebody says otherwise. */
        USUAL,
        /** Anybody. */
        PUBLIC,
        /** Those who may see the box, and those who have a link. */
        PRIVATE
    }

    /** As it is unless somebody says otherwise. */
    public static Doorway usual() {
        return new Doorway(Admittance.USUAL, Optional.empty(), Optional.empty());
    }

    public Doorway admitting(Admittance newAdmittance) {
        return new Doorway(newAdmittance, port, linkKey);
    }

    public Doorway at(Optional<Integer> newPort) {
        return new Doorway(admittance, newPort, linkKey);
    }

    public Doorway signing(Optional<String> newLinkKey) {
        return new Doorway(admittance, port, newLinkKey);
    }

    /** That of a copy: as open as this, but for links, which are of one box only. */
    Doorway copied() {
        return new Doorway(admittance, port, Optional.empty());
    }

    /** Keys get into no log. */
    @Override
    public String toString() {
        return "Doorway[" + admittance + ", " + port + "]";
    }
}
