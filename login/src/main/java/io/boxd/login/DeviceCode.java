package io.boxd.login;

import java.time.Duration;

/**
 * What the issuer has given for one login.
 *
 * @param code the issuer's secret for it, which never leaves this server
 * @param nonce by which the token is known to be for this login
 * @param userCode what the person types at the address
 * @param completeAddress the address with the code in it, or the same
 */
public record DeviceCode(
        String code,
        String nonce,
        String userCode,
        String address,
        String completeAddress,
        Duration expiresIn,
        Duration interval) {
    @Override
    public String toString() {
        return "DeviceCode[" + userCode + "]";
    }
}
