package io.boxd.control;

import io.boxd.vmm.MachineSize;
import io.boxd.worker.SleepRules;

/**
 * What boxes are like unless somebody says otherwise, and what they may be.
 *
 * @param image that a box starts from
 * @param node the name of this host
 * @param accelerator what machines run with, as users see it
 * @param user whose commands are
 * @param home where they start, and what relative paths are relative to
 * @param domain under which boxes have their URLs
 * @param privateUrls whether strangers are kept out of boxes unless somebody says otherwise
 */
public record Settings(
        String image,
        MachineSize size,
        SleepRules sleep,
        String node,
        String accelerator,
        String user,
        String home,
        String domain,
        boolean privateUrls) {}
