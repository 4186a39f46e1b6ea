package io.boxd.verbs;

/** How much somebody must be allowed for a verb; doors and rooms need no list of verbs of their own. */
public enum Right {
    /** It only shows; nothing is different afterwards. */
    READ,
    /** It works with a box, or makes one. */
    USE,
    /** It changes what a box is, or ends it: for its owner, not for those it is shared with. */
    OWN,
    /** It changes who somebody is or who may do what: never with a token that has limits itself. */
    ACCOUNT,
    /** It only shows, but what concerns all accounts: for administrators. */
    INSPECT,
    /** It changes what all accounts share: for administrators. */
    HOST;

    /** Whether everything is as it was afterwards. */
    public boolean reads() {
        return this == READ || this == INSPECT;
    }
}
