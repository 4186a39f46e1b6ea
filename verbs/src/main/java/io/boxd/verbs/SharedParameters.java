package io.boxd.verbs;

import static io.boxd.verbs.Parameter.option;
import static io.boxd.verbs.Parameter.word;

/** Parameters that several verbs take, with the same words. */
final class SharedParameters {
    static final Parameter BOX = word("box", ParameterType.BOX, "the box, by name or id");

    static final Parameter LABEL = option("label", ParameterType.LABELS, "K=V", "a label; may be repeated")
            .as("labels");

    static final Parameter IDLE = option(
                    "idle", ParameterType.DURATION_OR_OFF, "TIME|off", "standby after so long without anything to do")
            .as("idle_after_s");

    static final Parameter CPUS = option("cpus", ParameterType.COUNT, "N", "virtual processors");

    static final Parameter MEMORY = option("memory", ParameterType.SIZE, "SIZE", "memory; costs only what is touched")
            .as("memory_bytes");

    static final Parameter DISK = option("disk", ParameterType.SIZE, "SIZE", "disk; costs only what is written")
            .as("disk_bytes");

    static final Parameter ENVIRONMENT = option(
                    "env", ParameterType.VARIABLES, "K=V", "a variable of the environment; may be repeated")
            .letter('e')
            .as("env");

    static final Parameter EXECUTION =
            word("exec", ParameterType.EXECUTION, "the execution, by its id").as("exec_id");

    static final Parameter SHARED = Parameter.flag("shared", "members of its organisation may use it, too");

    static final Parameter ORGANISATION =
            option("org", ParameterType.NAME, "ORG", "in this organisation; yours if you are in one only");

    static final Parameter SNAPSHOT = word("snapshot", ParameterType.SNAPSHOT, "the snapshot, by id or label");

    private SharedParameters() {}
}
