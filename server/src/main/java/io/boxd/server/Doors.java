package io.boxd.server;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.inside.RemoteControl;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
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
    private final Web web;
    private final CountDownLatch closed = new CountDownLatch(1);

    private Doors(RemoteControl control, Web web) {
        this.control = control;
        this.web = web;
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
            Web web = Web.open(config, pass.httpsContext(), control, control::obstacle);
            LOG.info("answering at {}, for control at {}:{}", url(config, web), pass.host(), pass.port());
            return new Doors(control, web);
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

    private static String url(ServerConfig config, Web web) {
        return Addresses.url(config.bind(), web.port());
    }

    @Override
    public boolean awaitEnd(Duration time) throws InterruptedException {
        return closed.await(time.toNanos(), TimeUnit.NANOSECONDS);
    }

    @Override
    public void close() {
        web.close();
        control.close();
        LOG.info("ended");
        closed.countDown();
    }
}
