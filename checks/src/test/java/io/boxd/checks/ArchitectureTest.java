package io.boxd.checks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The direction of dependencies and who may use what, over the compiled classes of all modules. */
@Tag("unit")
final class ArchitectureTest {
    /** A scan that sees fewer classes than this looked in the wrong place; raise them as rooms fill. */
    private static final Map<String, Integer> FEWEST_CLASSES = Map.ofEntries(
            Map.entry("common", 4),
            Map.entry("verbs", 20),
            Map.entry("console", 10),
            Map.entry("cli", 30),
            Map.entry("accounts", 20),
            Map.entry("meter", 6),
            Map.entry("login", 10),
            Map.entry("linux", 20),
            Map.entry("trust", 5),
            Map.entry("certificates", 15),
            Map.entry("ledger", 20),
            Map.entry("chronicle", 20),
            Map.entry("network", 20),
            Map.entry("guest", 30),
            Map.entry("vmm", 60),
            Map.entry("worker", 15),
            Map.entry("control", 25),
            Map.entry("inside", 20),
            Map.entry("api", 15),
            Map.entry("dns", 10),
            Map.entry("ssh", 30),
            Map.entry("server", 20),
            Map.entry("bench", 6));

    private static final int FEWEST_CLASSES_IN_ALL = 150;

    private static final JavaClasses HOUSE = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("io.boxd");

    private static final HouseRules RULES = new HouseRules("io.boxd");

    private static final String WRONG = "io.boxd.checks.wrong";
    private static final JavaClasses WRONG_HOUSE = new ClassFileImporter().importPackages(WRONG);
    private static final HouseRules WRONG_RULES = new HouseRules(WRONG);

    /** One rule, and the class of the wrong house that it must name. */
    private record Check(String name, ArchRule rule, ArchRule onWrongHouse, String culprit) {}

    private static List<Check> checks() {
        return List.of(
                new Check(
                        "dependencies point downwards",
                        RULES.downwardOnly("common"),
                        WRONG_RULES.downwardOnly("common"),
                        WRONG + ".common.Upwards"),
                new Check("no cycles", RULES.noCycles(), WRONG_RULES.noCycles(), "Cycle detected"),
                new Check(
                        "only known rooms", RULES.onlyKnownRooms(), WRONG_RULES.onlyKnownRooms(), WRONG + ".Homeless"),
                new Check(
                        "native calls only in linux",
                        RULES.nativeCallsOnlyInLinux(),
                        WRONG_RULES.nativeCallsOnlyInLinux(),
                        WRONG + ".vmm.Native"),
                new Check(
                        "Jackson only behind Json",
                        RULES.jacksonOnlyBehindJson(),
                        WRONG_RULES.jacksonOnlyBehindJson(),
                        WRONG + ".vmm.OwnMapper"),
                new Check(
                        "JSON trees only where messages have no shape",
                        RULES.jsonTreesOnlyWhereMessagesHaveNoShape(),
                        WRONG_RULES.jsonTreesOnlyWhereMessagesHaveNoShape(),
                        WRONG + ".linux.Tree"),
                new Check(
                        "Jetty only in api and inside",
                        RULES.confined("org.eclipse.jetty", "api", "inside"),
                        WRONG_RULES.confined("org.eclipse.jetty", "api", "inside"),
                        WRONG + ".vmm.OwnDoor"),
                new Check(
                        "JOSE only in login",
                        RULES.confined("org.jose4j", "login"),
                        WRONG_RULES.confined("org.eclipse.jetty", "login"),
                        WRONG + ".vmm.OwnDoor"),
                new Check(
                        "packages are null-marked",
                        RULES.packagesAreNullMarked(),
                        WRONG_RULES.packagesAreNullMarked(),
                        WRONG + ".vmm.Engine"));
    }

    @TestFactory
    Stream<DynamicTest> theHouseKeepsItsRules() {
        Stream<DynamicTest> all = checks().stream()
                .map(check ->
                        DynamicTest.dynamicTest(check.name(), () -> check.rule().check(HOUSE)));
        Stream<DynamicTest> rooms = HouseRules.ROOMS.stream()
                .map(room -> DynamicTest.dynamicTest(
                        room + " depends downwards only",
                        () -> RULES.downwardOnly(room).check(HOUSE)));
        Stream<DynamicTest> libraries = Stream.of("org.tomlj", "ch.qos.logback")
                .map(library -> DynamicTest.dynamicTest(
                        library + " only in server",
                        () -> RULES.confined(library, "server").check(HOUSE)));
        Stream<DynamicTest> others = Map.of(
                        "org.apache.ratis", "ledger",
                        "org.bouncycastle", "trust",
                        "org.apache.sshd", "ssh",
                        "org.jline", "ssh",
                        "org.xbill.DNS", "dns",
                        "org.shredzone", "certificates")
                .entrySet()
                .stream()
                .map(library -> DynamicTest.dynamicTest(
                        library.getKey() + " only in " + library.getValue(),
                        () -> RULES.confined(library.getKey(), library.getValue())
                                .check(HOUSE)));
        return Stream.of(all, rooms, libraries, others).flatMap(tests -> tests);
    }

    /** A rule that cannot fail proves nothing: each must name the culprit of the wrong house. */
    @TestFactory
    Stream<DynamicTest> eachRuleFailsOnAWrongHouse() {
        return checks().stream()
                .map(check -> DynamicTest.dynamicTest(
                        check.name(),
                        () -> assertThatThrownBy(() -> check.onWrongHouse().check(WRONG_HOUSE))
                                .isInstanceOf(AssertionError.class)
                                .hasMessageContaining(check.culprit())));
    }

    @Test
    void theScanSawEveryRoom() {
        FEWEST_CLASSES.forEach((room, fewest) -> assertThat(classesIn(RULES.packageOf(room)))
                .as("classes of %s", room)
                .isGreaterThanOrEqualTo(fewest));
        assertThat(FEWEST_CLASSES.keySet()).containsExactlyInAnyOrderElementsOf(HouseRules.ROOMS);
        assertThat(HOUSE.size()).isGreaterThanOrEqualTo(FEWEST_CLASSES_IN_ALL);
    }

    private static long classesIn(String packageName) {
        return HOUSE.stream()
                .filter(type -> type.getPackageName().equals(packageName))
                .map(JavaClass::getSimpleName)
                .filter(name -> !name.equals("package-info"))
                .count();
    }
}
