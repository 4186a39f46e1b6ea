package io.boxd.cli;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.console.Answering;
import io.boxd.console.Names;
import io.boxd.console.Proposals;
import io.boxd.verbs.Verbs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Names of what the servers have that this user knows, for someone who types and does not wait long. */
final class KnownNames {
    /** As long as someone who types waits for a word. */
    private static final Duration USUAL_PATIENCE = Duration.ofSeconds(1);

    private final Map<String, String> environment;
    private final Duration patience;

    private KnownNames(Map<String, String> environment, Duration patience) {
        this.environment = Map.copyOf(environment);
        this.patience = patience;
    }

    /** What can come next on a line of this command. */
    static Proposals proposals(Map<String, String> environment) {
        return proposals(environment, USUAL_PATIENCE);
    }

    /** @param patience how long a server is waited for */
    static Proposals proposals(Map<String, String> environment, Duration patience) {
        KnownNames known = new KnownNames(environment, patience);
        return new Proposals(Verbs.withDoors(), context -> new Names(known.server(context), known.contexts()));
    }

    private List<Proposals.Proposal> contexts() {
        List<Proposals.Proposal> names = new ArrayList<>();
        names.add(new Proposals.Proposal(Context.LOCAL, "the server on this machine"));
        try {
            Contexts.of(environment)
                    .load()
                    .contexts()
                    .values()
                    .forEach(each -> names.add(new Proposals.Proposal(each.name(), each.url())));
        } catch (BoxdException e) {
            return names;
        }
        return names;
    }

    /** On a thread that may stay behind: looking up a host's name cannot be cut short. */
    private Answering server(@Nullable String context) {
        Servers servers = new Servers(new ServerFinder(environment, context)::find);
        return request -> {
            FutureTask<String> asking = new FutureTask<>(() -> servers.get(request.target(), patience));
            Thread.ofPlatform().daemon().name("names").start(asking);
            try {
                return asking.get(patience.toMillis(), TimeUnit.MILLISECONDS);
            } catch (ExecutionException | TimeoutException e) {
                throw new BoxdException(ErrorCode.UNAVAILABLE, "the server did not tell", e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new BoxdException(ErrorCode.UNAVAILABLE, "nobody waits for the server any more", e);
            }
        };
    }
}
