package io.boxd.checks;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.NullMarked;

/**
 * The rules of the house, for any root package, so that each can also be shown to fail on a house
 * that is built wrongly ({@code io.boxd.checks.wrong}).
 */
final class HouseRules {
    /** From the lowest room up; a room may use those before it. */
    static final List<String> ROOMS = List.of(
            "common",
            "verbs",
            "console",
            "cli",
            "accounts",
            "meter",
            "login",
            "linux",
            "trust",
            "certificates",
            "ledger",
            "chronicle",
            "network",
            "guest",
            "vmm",
            "worker",
            "control",
            "inside",
            "api",
            "ssh",
            "dns",
            "server",
            "bench");

    /** Rooms that may hold JSON trees: manifests, QMP, listings of rules, which have no fixed shape. */
    private static final Set<String> JSON_TREE_ROOMS =
            Set.of("common", "login", "network", "guest", "vmm", "control", "inside", "api", "ssh", "bench");

    /** Classes outside {@code common} that may use Jackson's mappers and parsers; none so far. */
    private static final Set<String> JACKSON_EXCEPTIONS = Set.of();

    private final String root;

    HouseRules(String root) {
        this.root = root;
    }

    String packageOf(String room) {
        return root + "." + room;
    }

    /** Nothing in the room depends on a room above it. */
    ArchRule downwardOnly(String room) {
        String[] above = ROOMS.subList(ROOMS.indexOf(room) + 1, ROOMS.size()).stream()
                .map(upper -> packageOf(upper) + "..")
                .toArray(String[]::new);
        return noClasses()
                .that()
                .resideInAPackage(packageOf(room) + "..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(above)
                .because("dependencies point downwards only");
    }

    ArchRule noCycles() {
        return slices().matching(root + ".(*)..").should().beFreeOfCycles();
    }

    /** Every class lives in a room that {@link #ROOMS} knows, so that no rule overlooks it. */
    ArchRule onlyKnownRooms() {
        return classes()
                .should()
                .resideInAnyPackage(
                        ROOMS.stream().map(room -> packageOf(room) + "..").toArray(String[]::new));
    }

    ArchRule nativeCallsOnlyInLinux() {
        return noClasses()
                .that()
                .resideOutsideOfPackage(packageOf("linux") + "..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("java.lang.foreign..")
                .because("native calls have one room");
    }

    /** Mappers, parsers and their errors stay behind {@code io.boxd.common.Json}. */
    ArchRule jacksonOnlyBehindJson() {
        return noClasses()
                .that(describe("are outside common", c -> !isIn(c, "common")))
                .and(describe("are no listed exception", c -> !JACKSON_EXCEPTIONS.contains(c.getName())))
                .should()
                .dependOnClassesThat(JACKSON.and(DescribedPredicate.not(JSON_TREE)))
                .because("JSON is read and written through common.Json");
    }

    ArchRule jsonTreesOnlyWhereMessagesHaveNoShape() {
        return noClasses()
                .that(describe(
                        "are outside " + JSON_TREE_ROOMS,
                        c -> JSON_TREE_ROOMS.stream().noneMatch(room -> isIn(c, room))))
                .should()
                .dependOnClassesThat(JSON_TREE)
                .because("data with a fixed shape are records");
    }

    /** A library whose types only some rooms may use, so that it could be replaced there. */
    ArchRule confined(String library, String... rooms) {
        return noClasses()
                .that(describe(
                        "are outside " + String.join(", ", rooms),
                        c -> List.of(rooms).stream().noneMatch(room -> isIn(c, room))))
                .should()
                .dependOnClassesThat(
                        describe("belong to " + library, c -> c.getPackageName().startsWith(library)))
                .because("each library has its room");
    }

    ArchRule packagesAreNullMarked() {
        return classes().should(new ArchCondition<>("live in a @NullMarked package") {
            @Override
            public void check(JavaClass type, ConditionEvents events) {
                boolean marked = type.getPackage().isAnnotatedWith(NullMarked.class);
                events.add(new SimpleConditionEvent(type, marked, type.getPackageName() + " of " + type.getName()));
            }
        });
    }

    private static final DescribedPredicate<JavaClass> JACKSON =
            describe("belong to Jackson", c -> c.getPackageName().startsWith("tools.jackson."));

    private static final DescribedPredicate<JavaClass> JSON_TREE = describe(
            "are JSON trees",
            c -> c.getName().equals("tools.jackson.databind.JsonNode")
                    || c.getPackageName().equals("tools.jackson.databind.node"));

    private boolean isIn(JavaClass type, String room) {
        String name = type.getPackageName();
        return name.equals(packageOf(room)) || name.startsWith(packageOf(room) + ".");
    }
}
