package io.boxd.vmm;

import java.nio.file.Path;

/**
 * What a machine's network card is plugged into: a tap that somebody else has made and filters.
 *
 * @param id of the one who made it
 * @param namespace the network namespace that the tap is in
 * @param tap the name of the persistent tap there, which nobody has open
 */
public record Uplink(String id, Path namespace, String tap) {}
