package io.boxd.meter;

import java.util.Optional;

/** What one box has used in some time, for one owner and organisation; the box may be gone. */
public record Used(String box, String owner, Optional<String> organisation, Consumption consumption) {}
