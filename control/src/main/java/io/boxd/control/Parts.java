package io.boxd.control;

import io.boxd.accounts.AccountRecord;
import io.boxd.certificates.Certificates;
import io.boxd.chronicle.Chronicle;
import io.boxd.worker.Boxes;

/**
 * What control is over.
 *
 * @param boxes all of this host
 * @param chronicle where it is written down who did what
 * @param certificates of the names of boxes
 * @param requests which may be repeated
 * @param shares which the boxes ask, too, before they wake
 */
public record Parts(
        Boxes boxes,
        Images images,
        AccountRecord accounts,
        RequestRecord requests,
        Shares shares,
        Chronicle chronicle,
        Certificates certificates,
        Entrance entrance) {}
