package io.boxd.accounts;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.verbs.Topic;
import io.boxd.verbs.Verb;
import io.boxd.verbs.Verbs;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What a token is for; whoever uses it may do this and nothing else, whatever its user may.
 *
 * @param verbs names of verbs; none: all of them, also those that boxd will learn
 * @param labels that a box must have, all of them
 * @param readOnly whether nothing may be changed
 */
public record Scopes(Optional<Set<String>> verbs, Map<String, String> labels, boolean readOnly) {
    public Scopes {
        verbs = verbs.map(names -> Collections.unmodifiableSortedSet(new TreeSet<>(names)));
        labels = Collections.unmodifiableMap(new TreeMap<>(labels));
    }

    /** No limits but those of the user. */
    public static Scopes all() {
        return new Scopes(Optional.empty(), Map.of(), false);
    }

    /**
     * From what somebody said: names of verbs, and topics for all verbs about them.
     *
     * <p>Topics become names here, so that a token never comes to mean more than it did when it was made.
     */
    public static Scopes said(List<String> verbs, Map<String, String> labels, boolean readOnly) {
        if (verbs.isEmpty()) {
            return new Scopes(Optional.empty(), labels, readOnly);
        }
        Set<String> names = new TreeSet<>();
        verbs.forEach(said -> names.addAll(named(said)));
        return new Scopes(Optional.of(names), labels, readOnly);
    }

    private static List<String> named(String said) {
        Optional<Verb> verb = table().stream().filter(one -> one.isNamed(said)).findFirst();
        if (verb.isPresent()) {
            return List.of(verb.get().name());
        }
        List<String> group = table().stream()
                .filter(one -> groupOf(one.topic()).equals(said))
                .map(Verb::name)
                .toList();
        if (group.isEmpty()) {
            throw new BoxdException(
                    ErrorCode.INVALID_ARGUMENT,
                    "there is no verb or group of verbs of this name to limit a token to",
                    "Groups are " + String.join(", ", groups()) + "; boxd help lists the verbs.",
                    null);
        }
        return group;
    }

    /** Those of servers and of doors: copying files is a door's own verb. */
    private static Collection<Verb> table() {
        return Verbs.withDoors();
    }

    private static List<String> groups() {
        return table().stream()
                .map(verb -> groupOf(verb.topic()))
                .distinct()
                .sorted()
                .toList();
    }

    private static String groupOf(Topic topic) {
        return topic.name().toLowerCase(Locale.ROOT);
    }

    /** Whether it has limits at all; not {@code is…}, which would be written down as a fact of its own. */
    public boolean limited() {
        return verbs.isPresent() || !labels.isEmpty() || readOnly;
    }

    boolean allow(Deed deed) {
        return (!readOnly || deed.reads()) && (verbs.isEmpty() || verbs.get().contains(deed.verb()));
    }

    boolean allow(Map<String, String> boxLabels) {
        return boxLabels.entrySet().containsAll(labels.entrySet());
    }

    /** Whether these allow nothing that the others do not. */
    boolean areWithin(Scopes others) {
        boolean fewerVerbs = others.verbs.isEmpty()
                || (verbs.isPresent() && others.verbs.get().containsAll(verbs.get()));
        boolean fewerBoxes = labels.entrySet().containsAll(others.labels.entrySet());
        return fewerVerbs && fewerBoxes && (readOnly || !others.readOnly);
    }
}
