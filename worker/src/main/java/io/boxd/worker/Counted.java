package io.boxd.worker;

import java.util.Optional;
import java.util.Set;

/**
 * Whose boxes count together.
 *
 * @param owner only theirs; empty: everybody's
 * @param organisation only those that belong to it
 * @param except not those that belong to one of these organisations
 */
public record Counted(Optional<String> owner, Optional<String> organisation, Set<String> except) {
    public Counted {
        except = Set.copyOf(except);
    }

    public static Counted all() {
        return new Counted(Optional.empty(), Optional.empty(), Set.of());
    }

    /** Of one owner, but for what counts against something that organisations have together. */
    public static Counted of(String owner, Set<String> except) {
        return new Counted(Optional.of(owner), Optional.empty(), except);
    }

    /** All of an organisation. */
    public static Counted in(String organisation) {
        return new Counted(Optional.empty(), Optional.of(organisation), Set.of());
    }

    boolean counts(Claim box) {
        return (owner.isEmpty() || owner.get().equals(box.owner()))
                && (organisation.isEmpty() || organisation.equals(box.organisation()))
                && box.organisation().filter(except::contains).isEmpty();
    }
}
