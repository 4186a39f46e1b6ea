package io.boxd.ledger;

/**
 * What was decided on a command.
 *
 * @param answer for whoever asked
 * @param after to be done when what was written is part of the state: what is in memory follows what is in the tables
 */
public record Decision(String answer, Runnable after) {
    /** Done, with nothing to say. */
    public static Decision done(Runnable after) {
        return new Decision("", after);
    }
}
