package io.boxd.trials;

import java.io.IOException;
import java.util.List;
import java.util.Map;

/** Where somebody types: beside the server as root, or elsewhere with no more than a token. */
enum Place {
    HERE,
    ELSEWHERE;

    /** Both; what takes long is tried from elsewhere in longer runs only. */
    static List<Place> bothIfThereIsTime() {
        return Seat.LONG ? List.of(values()) : List.of(HERE);
    }

    /** What the instance must be set to, to be used from there. */
    Map<String, String> settings() throws IOException {
        return switch (this) {
            case HERE -> Map.of();
            case ELSEWHERE -> RemoteSeat.port();
        };
    }

    Seat at(Instance instance) throws IOException {
        return switch (this) {
            case HERE -> instance;
            case ELSEWHERE -> RemoteSeat.at(instance);
        };
    }

    /** The instance itself stays. */
    static void leave(Seat seat) {
        if (seat instanceof RemoteSeat remote) {
            remote.close();
        }
    }
}
