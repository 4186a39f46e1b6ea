package io.boxd.console;

import io.boxd.common.BoxdException;
import io.boxd.common.PlainJson;
import io.boxd.common.SignalNames;
import io.boxd.verbs.Fields;
import io.boxd.verbs.Harmless;
import io.boxd.verbs.Request;
import io.boxd.verbs.Verbs;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Names of what there is, for someone who types: whatever goes wrong or takes too long, there are just none. */
public final class Names {
    private static final int MOST = 1_000;
    private static final int LONGEST_ABOUT = 60;
    private static final int LAST_SIGNAL_WITH_NAME = 31;

    /** Anything else would have to be quoted, and no server has such names. */
    private static final Pattern WORD = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.-]{0,79}");

    private final Answering server;
    private final List<Proposals.Proposal> contexts;

    /**
     * Names of what a server has.
     *
     * @param contexts names of other servers, if there are such at this door
     */
    public Names(Answering server, List<Proposals.Proposal> contexts) {
        this.server = server;
        this.contexts = List.copyOf(contexts);
    }

    /** @param end what is to follow each name at once */
    List<Proposals.Proposal> boxes(String end) {
        return proposals(
                ask("list", Map.of("all", true)).stream(), each -> each.text("name"), each -> each.text("status"), end);
    }

    /** By their labels, as far as they have one. */
    List<Proposals.Proposal> snapshots() {
        return proposals(
                ask("snapshot list", Map.of()).stream(),
                each -> each.has("label") ? each.text("label") : each.text("id"),
                each -> each.text("box_name", "") + " " + each.text("created_at", ""),
                "");
    }

    List<Proposals.Proposal> executions(String box) {
        return box.isEmpty()
                ? List.of()
                : proposals(
                        ask("ps", Map.of("box", box)).stream(),
                        each -> each.text("exec_id"),
                        each -> each.values().get("command") instanceof List<?> words
                                ? String.join(
                                        " ", words.stream().map(String::valueOf).toList())
                                : each.text("command"),
                        "");
    }

    List<Proposals.Proposal> images() {
        return proposals(
                ask("image list", Map.of()).stream(), each -> each.text("name"), each -> each.text("suite"), "");
    }

    List<Proposals.Proposal> webhooks() {
        return proposals(ask("webhook list", Map.of()).stream(), each -> each.text("id"), each -> each.text("url"), "");
    }

    List<Proposals.Proposal> contexts() {
        return contexts;
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

    private List<Fields> ask(String verb, Map<String, Object> said) {
        try {
            Request request = new Request(Verbs.named(verb).orElseThrow(), said, true);
            return Fields.each(PlainJson.parse(server.answer(request)));
        } catch (BoxdException e) {
            return List.of();
        }
    }
}
