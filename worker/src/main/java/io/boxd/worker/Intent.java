package io.boxd.worker;

import java.util.Optional;

/**
 * A box is about to become something else; the generation of its machine tells whether it has.
 *
 * @param target the kept snapshot that it goes back to, or nothing
 * @param fork the box whose state it takes, or nothing
 * @param left the kept snapshot of the state that it leaves
 * @param generation that its machine has when it is done
 */
record Intent(Optional<String> target, Optional<String> fork, String left, long generation) {}
