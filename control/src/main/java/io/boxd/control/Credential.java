package io.boxd.control;

/** By what somebody is known; a door hands it on with everything that is said in their name. */
public sealed interface Credential {
    /** A token, which only whoever was given it knows. */
    record Token(String secret) implements Credential {
        /** Secrets get into no log. */
        @Override
        public String toString() {
            return "Token";
        }
    }

    /**
     * A key; the door has seen to it that they really have it.
     *
     * @param fingerprint as OpenSSH prints it
     */
    record Key(String fingerprint) implements Credential {}
}
