package io.boxd.checks.wrong;

/** Lives in no known room. */
final class Homeless {
    private Homeless() {}
}
