package io.boxd.server;

import io.boxd.api.ApiConfig;
import io.boxd.api.ApiServer;
import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.control.Control;
import io.boxd.inside.RemoteControl;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Doors in a process of their own: it needs no rights on this host and nothing of the instance's home, only a pass.
 *
 * <p>They are open whether control is there or not; meanwhile they say so.
 */
final class Doors implements Serving {
    private static final Logger LOG = LoggerFactory.getLogger(Doors.class);

    private final RemoteControl control;
    private final ApiServer api;
    private final CountDownLatch closed = new CountDownLatch(1);

    private Doors(RemoteControl control, ApiServer api) {
        this.control = control;
        this.api = api;
    }

    /** Opens them; returns when they answer. */
    static Doors open(ServerConfig config) {
        Logs.beginOnScreen();
        Pass pass = Pass.read(config.roles().pass().orElseThrow(Doors::noPass));
        Set<String> missing = new TreeSet<>(config.roles().doors());
        missing.removeAll(pass.doors());
        if (!missing.isEmpty()) {
            throw new BoxdException(
                    ErrorCode.PERMISSION_DENIED,
                    "this pass is not for " + String.join(", ", missing),
                    "Make another: boxd pass FILE --doors="
                            + String.join(",", config.roles().doors()),
                    null);
        }
        RemoteControl control = new RemoteControl(pass.host(), pass.port(), pass.insideContext());
        try {
            ApiServer api = api(config, pass.httpsContext(), _ -> Optional.empty(), control, control::obstacle);
            LOG.info("answering at {}, for control at {}:{}", url(config, api), pass.host(), pass.port());
            return new Doors(control, api);
        } catch (RuntimeException e) {
            control.close();
            throw e;
        }
    }

    private static BoxdException noPass() {
        return new BoxdException(
                ErrorCode.INVALID_ARGUMENT,
                "doors in a process of their own need a pass",
                "Make one on the host of control: boxd pass FILE --user USER. Then: boxd serve --roles=api --pass=FILE",
                null);
    }

    /** The HTTP door as it is configured, wherever control is. */
    static ApiServer api(
            ServerConfig config,
            SSLContext https,
            Function<String, Optional<String>> pages,
            Control control,
            Supplier<Optional<String>> obstacle) {
        return ApiServer.open(
                new ApiConfig(
                        config.bind(),
                        config.httpPort(),
                        Optional.of(new ApiConfig.Secure(config.httpsPort(), https)),
                        config.domain(),
                        Version.text(),
                        config.rateLimit(),
                        config.metricsOpen(),
                        config.collector(),
                        pages),
                control,
                obstacle);
    }

    private static String url(ServerConfig config, ApiServer api) {
        return Addresses.url(config.bind(), api.port());
    }

    @Override
    public boolean awaitEnd(Duration time) throws InterruptedException {
        return closed.await(time.toNanos(), TimeUnit.NANOSECONDS);
    }

    @Override
    public void close() {
        api.close();
        control.close();
        LOG.info("ended");
        closed.countDown();
    }
}
