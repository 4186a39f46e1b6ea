package io.boxd.cli;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.common.PlainJson;
import io.boxd.console.BrokenOutputException;
import io.boxd.console.Console;
import io.boxd.verbs.Answers;
import io.boxd.verbs.Fields;
import io.boxd.verbs.Request;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * {@code events -f} and {@code audit -f}: tells what comes until somebody ends it. After a break it goes on behind what
 * was told last, also with a server that was started anew.
 */
final class FollowCommand {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration RECONNECTING = Duration.ofMinutes(2);
    private static final long WAIT_MILLIS = 300;

    private final Servers servers;
    private final Console console;
    /** What comes next stands behind this number; null before anybody has said where that begins. */
    private @Nullable Long last;

    FollowCommand(Servers servers, Console console) {
        this.servers = servers;
        this.console = console;
    }

    int follow(Request request) throws BrokenOutputException {
        Deadline deadline = Deadline.in(RECONNECTING);
        boolean begun = false;
        while (true) {
            try (WebSocket socket =
                    servers.socket("/v1" + request.verb().route().path(), PATIENCE)) {
                socket.send(PlainJson.write(Map.of("start", start(request))));
                begun = true;
                deadline = Deadline.in(RECONNECTING);
                listen(request, socket);
            } catch (BrokenOutputException e) {
                throw e;
            } catch (BoxdException e) {
                if (!begun || e.code() != ErrorCode.UNAVAILABLE || deadline.passed()) {
                    throw e;
                }
            } catch (IOException e) {
                if (!begun || deadline.passed()) {
                    throw Servers.lost("the server", e);
                }
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(WAIT_MILLIS));
        }
    }

    /** Asked for by time only the first time; later, what comes behind the last number. */
    private Map<String, @Nullable Object> start(Request request) {
        Map<String, @Nullable Object> start = new LinkedHashMap<>(request.fields());
        if (last != null) {
            start.remove("since_s");
            start.put("after", last);
        }
        return start;
    }

    private void listen(Request request, WebSocket socket) throws IOException {
        while (true) {
            WebSocket.Message message = socket.receive();
            if (message == null) {
                throw new EOFException("the server closed the stream");
            }
            Fields said = Fields.of(PlainJson.parse(
                    StandardCharsets.UTF_8.decode(message.content()).toString()));
            if (said.has("error")) {
                throw HttpConnection.error(said.object("error"), "the stream failed");
            }
            if (said.has("started")) {
                last = said.object("started").number("after", 0);
            } else if (said.has("event") || said.has("entry")) {
                Fields told = said.has("event") ? said.object("event") : said.object("entry");
                last = told.number("sequence", 0);
                console.print(
                        request.json()
                                ? PlainJson.write(told.values()) + "\n"
                                : Answers.line(request.verb(), told, console.look()));
            }
        }
    }
}
