package io.boxd.ssh;

import io.boxd.console.Names;
import io.boxd.console.Proposals;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Set;
import org.jline.reader.Candidate;
import org.jline.reader.EndOfFileException;
import org.jline.reader.LineReader;
import org.jline.reader.LineReaderBuilder;
import org.jline.reader.UserInterruptException;
import org.jline.reader.impl.DefaultParser;

/** The prompt of the control door: lines with history, editing and completion, one after the other. */
final class Prompt {
    private static final String PROMPT = "boxd> ";
    private static final String GREETING = "help lists what can be said here, Tab completes it, exit leaves.\r\n";
    private static final Set<String> LEAVING = Set.of("exit", "quit", "logout");

    private final Deeds deeds;
    private final Seat seat;
    private final ClientTerminal terminal;
    private final Proposals proposals;

    /** @param names of what there is, for completion */
    Prompt(Deeds deeds, Seat seat, ClientTerminal terminal, Names names) {
        this.deeds = deeds;
        this.seat = seat;
        this.terminal = terminal;
        this.proposals = new Proposals(DoorVerbs.ALL, _ -> names);
    }

    /** Until the client leaves; gives the status of its last line. */
    int run() throws IOException {
        int status = 0;
        try (PromptScreen screen = new PromptScreen(terminal.size(), terminal.raw(), seat::interrupt)) {
            terminal.belongTo(screen, screen);
            terminal.raw().write(GREETING.getBytes(StandardCharsets.UTF_8));
            LineReader reader = reader(screen);
            while (!terminal.isGone()) {
                Optional<String> line = read(reader);
                if (line.filter(said -> !LEAVING.contains(said)).isEmpty()) {
                    return status;
                }
                if (!line.get().isEmpty()) {
                    status = deeds.perform(line.get());
                }
            }
        }
        return status;
    }

    /** Nothing once there is no more; an empty line for one that was given up. */
    private static Optional<String> read(LineReader reader) {
        try {
            return Optional.of(reader.readLine(PROMPT).strip());
        } catch (UserInterruptException e) {
            return Optional.of("");
        } catch (EndOfFileException e) {
            return Optional.empty();
        }
    }

    private LineReader reader(PromptScreen screen) {
        DefaultParser parser = new DefaultParser();
        parser.setEofOnUnclosedQuote(false);
        parser.setEofOnEscapedNewLine(false);
        return LineReaderBuilder.builder()
                .terminal(screen)
                .appName("boxd")
                .parser(parser)
                .completer((_, typed, candidates) -> {
                    String begun = typed.line().substring(0, typed.cursor());
                    for (Proposals.Proposal each :
                            proposals.next(LineWords.begun(begun)).words()) {
                        candidates.add(candidate(each));
                    }
                })
                .option(LineReader.Option.DISABLE_EVENT_EXPANSION, true)
                .option(LineReader.Option.HISTORY_IGNORE_SPACE, true)
                .option(LineReader.Option.AUTO_FRESH_LINE, false)
                .build();
    }

    /** What goes on behind a colon or an equals sign needs no blank. */
    private static Candidate candidate(Proposals.Proposal proposal) {
        String word = proposal.word();
        boolean whole = !word.endsWith(":") && !word.endsWith("=");
        String about = proposal.about().isEmpty() ? null : proposal.about();
        return new Candidate(word, word, null, about, null, null, whole);
    }
}
