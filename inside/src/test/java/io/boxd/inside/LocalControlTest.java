package io.boxd.inside;

import io.boxd.control.Control;
import org.junit.jupiter.api.Tag;

/** Control that doors call directly. */
@Tag("host")
final class LocalControlTest extends ControlContract {
    @Override
    Control control() {
        return house.control();
    }
}
