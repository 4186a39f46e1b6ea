package io.boxd.guest;

/** How one step of a renewal went, in the machine's own words; errno 0 means that it is done. */
public record StepResult(String name, int errno, String message) {
    public boolean succeeded() {
        return errno == 0;
    }
}
