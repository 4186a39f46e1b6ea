package io.boxd.login;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Logins that have been begun and not finished.
 *
 * <p>Thread-safe. A terminal has only a random handle; what the issuer gave stays here, so that nobody can put one
 * login in the place of another. A login is finished once.
 */
public final class Logins {
    private static final int MOST = 1000;
    private static final int HANDLE_BYTES = 32;
    private static final Duration LONGEST = Duration.ofMinutes(30);
    private static final Duration SLOWER_BY = Duration.ofSeconds(5);

    private final Issuer issuer;
    private final Clock clock;
    private final SecureRandom random = new SecureRandom();
    private final Map<String, Open> open = new LinkedHashMap<>();

    private record Open(DeviceCode code, Instant ends, Duration interval, Instant next) {}

    /**
     * What a person at a terminal is told.
     *
     * @param handle by which the terminal asks how far it is
     * @param interval not to be asked more often
     */
    public record Begun(
            String handle,
            String userCode,
            String address,
            String completeAddress,
            Duration expiresIn,
            Duration interval) {}

    public Logins(Issuer issuer, Clock clock) {
        this.issuer = issuer;
        this.clock = clock;
    }

    public Begun begin(Deadline deadline) {
        synchronized (open) {
            Instant now = clock.instant();
            open.values().removeIf(one -> !one.ends().isAfter(now));
            if (open.size() >= MOST) {
                throw new BoxdException(
                        ErrorCode.RESOURCE_EXHAUSTED, "too many logins have been begun", "Try again later.", null);
            }
        }
        DeviceCode code = issuer.begin(deadline);
        byte[] bytes = new byte[HANDLE_BYTES];
        random.nextBytes(bytes);
        String handle = HexFormat.of().formatHex(bytes);
        Duration lasts = code.expiresIn().compareTo(LONGEST) > 0 ? LONGEST : code.expiresIn();
        Instant now = clock.instant();
        synchronized (open) {
            open.put(handle, new Open(code, now.plus(lasts), code.interval(), now));
        }
        return new Begun(handle, code.userCode(), code.address(), code.completeAddress(), lasts, code.interval());
    }

    /** How far a login is; whoever asks more often than the issuer likes is told to wait. */
    public Progress ask(String handle, Deadline deadline) {
        Open login;
        Instant now = clock.instant();
        synchronized (open) {
            login = open.get(handle);
            if (login == null || !login.ends().isAfter(now)) {
                open.remove(handle);
                throw new BoxdException(
                        ErrorCode.NOT_FOUND, "there is no such login, or its time is over", "Log in again.", null);
            }
            if (now.isBefore(login.next())) {
                return new Progress.Pending(false);
            }
            // Taken until the issuer has answered, so that it is not asked twice at once.
            open.put(handle, new Open(login.code(), login.ends(), login.interval(), login.ends()));
        }
        Progress progress;
        try {
            progress = issuer.poll(login.code(), deadline);
        } catch (RuntimeException e) {
            resume(handle, login, login.interval());
            throw e;
        }
        switch (progress) {
            case Progress.Pending(boolean slower) ->
                resume(handle, login, slower ? login.interval().plus(SLOWER_BY) : login.interval());
            case Progress.Done _, Progress.Failed _ -> {
                synchronized (open) {
                    open.remove(handle);
                }
            }
        }
        return progress;
    }

    private void resume(String handle, Open login, Duration interval) {
        synchronized (open) {
            open.put(
                    handle,
                    new Open(
                            login.code(),
                            login.ends(),
                            interval,
                            clock.instant().plus(interval)));
        }
    }
}
