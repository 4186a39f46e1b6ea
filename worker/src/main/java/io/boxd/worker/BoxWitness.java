package io.boxd.worker;

import java.util.List;

/** Hears of everything that happens to boxes, in order for each of them; must never wait, nor fail. */
public interface BoxWitness {
    void saw(BoxEvent event);

    /** Once, when a server has started and before anything else happens: all boxes, and where they were found. */
    void found(List<BoxEvent> boxes);

    /** One that takes no notice. */
    static BoxWitness none() {
        return new BoxWitness() {
            @Override
            public void saw(BoxEvent event) {
                // Nobody wants to know.
            }

            @Override
            public void found(List<BoxEvent> boxes) {
                // Nobody wants to know.
            }
        };
    }
}
