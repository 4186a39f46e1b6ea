package io.boxd.inside;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** What a door can ask; each is a method of control. */
enum Question {
    IDENTIFY,
    WAYS,
    LOGIN_BEGIN,
    LOGIN,
    ENTER,
    CALL,
    EXEC,
    ATTACH,
    LOGS,
    /** Something about a stream that is open. */
    STEER,
    FOLLOW,
    PROGRAM,
    /** What a program that is open says to be read by people. */
    ERRORS,
    /** The end of a program that is open. */
    AWAIT,
    DIAL,
    LISTEN,
    /** A connection that a listener has told of. */
    ARRIVAL,
    REQUIRE_BOX,
    CENSUS,
    REFUSED,
    REFUSED_OFTEN,
    OBSTACLE,
    FILE_READ,
    FILE_PACK,
    FILE_WRITE,
    FILE_UNPACK,
    FILE_STAT;

    String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }

    static Optional<Question> named(String wireName) {
        return Stream.of(values())
                .filter(question -> question.wireName().equals(wireName))
                .findFirst();
    }
}
