package io.boxd.cli;

import io.boxd.common.BoxdException;
import io.boxd.common.PlainJson;
import io.boxd.common.SignalNames;
import io.boxd.verbs.Fields;
import io.boxd.verbs.Harmless;
import io.boxd.verbs.Request;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Names of what there is, for someone who types: whatever goes wrong or takes too long, there are just none. */
final class Names {
    private static final int MOST = 1_000;
    private static final int LONGEST_ABOUT = 60;
    private static final int LAST_SIGNAL_WITH_NAME = 31;

    /** Anything else would have to be quoted, and no server has such names. */
    private static final Pattern WORD = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.-]{0,79}");

    private final Map<String, String> environment;
    private final @Nullable String context;
    private final Duration patience;

    /** @param patience how long a server is waited for */
    Names(Map<String, String> environment, @Nullable String context, Duration patience) {
        this.environment = environment;
        this.context = context;
        this.patience = patience;
    }

    /** @param end what is to follow each name at once */
    List<Proposals.Proposal> boxes(String end) {
        return proposals(
                ask("/v1/boxes?all=true").stream(), each -> each.text("name"), each -> each.text("status"), end);
    }

    /** By their labels, as far as they have one. */
    List<Proposals.Proposal> snapshots() {
        return proposals(
                ask("/v1/snapshots").stream(),
                each -> each.has("label") ? each.text("label") : each.text("id"),
                each -> each.text("box_name", "") + " " + each.text("created_at", ""),
                "");
    }

    List<Proposals.Proposal> executions(String box) {
        return box.isEmpty()
                ? List.of()
                : proposals(
                        ask("/v1/boxes/" + Request.encode(box) + "/executions").stream(),
                        each -> each.text("exec_id"),
                        each -> each.values().get("command") instanceof List<?> words
                                ? String.join(
                                        " ", words.stream().map(String::valueOf).toList())
                                : each.text("command"),
                        "");
    }

    List<Proposals.Proposal> images() {
        return proposals(ask("/v1/images").stream(), each -> each.text("name"), each -> each.text("suite"), "");
    }

    List<Proposals.Proposal> webhooks() {
        return proposals(ask("/v1/webhooks").stream(), each -> each.text("id"), each -> each.text("url"), "");
    }

    List<Proposals.Proposal> contexts() {
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

    List<Proposals.Proposal> signals() {
        return IntStream.rangeClosed(1, LAST_SIGNAL_WITH_NAME)
                .mapToObj(number -> new Proposals.Proposal(SignalNames.name(number), "signal " + number))
                .toList();
    }

    /** What a field, or several, of an answer say. */
    private interface Reading {
        @Nullable
        String of(Fields each);
    }

    private static List<Proposals.Proposal> proposals(Stream<Fields> all, Reading name, Reading about, String end) {
        List<Proposals.Proposal> proposals = new ArrayList<>();
        all.limit(MOST).forEach(each -> {
            String word = name.of(each);
            String meaning = about.of(each);
            if (word != null && WORD.matcher(word).matches()) {
                proposals.add(new Proposals.Proposal(
                        word + end, Harmless.cut(meaning == null ? "" : meaning, LONGEST_ABOUT)));
            }
        });
        return proposals;
    }

    /** On a thread that may stay behind: looking up a host's name cannot be cut short. */
    private List<Fields> ask(String target) {
        Servers servers = new Servers(new ServerFinder(environment, context)::find);
        FutureTask<List<Fields>> asking =
                new FutureTask<>(() -> Fields.each(PlainJson.parse(servers.get(target, patience))));
        Thread.ofPlatform().daemon().name("names").start(asking);
        try {
            return asking.get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            return List.of();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return List.of();
        }
    }
}
