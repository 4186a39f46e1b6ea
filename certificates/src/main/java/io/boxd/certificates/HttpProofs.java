package io.boxd.certificates;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** What doors answer to certificate authorities that look at port 80 of a name. */
public final class HttpProofs {
    /** Before the token in the path. */
    public static final String PATH = "/.well-known/acme-challenge/";

    private final Map<String, String> answers = new ConcurrentHashMap<>();

    void show(String token, String answer) {
        answers.put(token, answer);
    }

    void remove(String token) {
        answers.remove(token);
    }

    /** The body for a path, as plain text; none if it is no proof that is being asked for now. */
    public Optional<String> answer(String path) {
        return path.startsWith(PATH)
                ? Optional.ofNullable(answers.get(path.substring(PATH.length())))
                : Optional.empty();
    }
}
