package io.boxd.control;

import io.boxd.worker.RequestKey;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** What was made under each key. */
final class TestingKeys<T> {
    private record Made<T>(RequestKey key, T what) {}

    private final Map<String, Made<T>> all = new HashMap<>();

    Optional<T> before(Optional<RequestKey> key) {
        return key.flatMap(one -> Optional.ofNullable(all.get(one.id())).map(made -> {
            if (!made.key().equals(one)) {
                throw one.usedOtherwise();
            }
            return made.what();
        }));
    }

    void keep(Optional<RequestKey> key, T what) {
        key.ifPresent(one -> all.put(one.id(), new Made<>(one, what)));
    }
}
