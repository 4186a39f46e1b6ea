package io.boxd.ssh;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.common.Json;
import io.boxd.control.Caller;
import io.boxd.control.Control;
import io.boxd.control.Happening;
import java.io.IOException;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ObjectNode;

/** A session in a box, as if a server of SSH ran in it. */
final class BoxDoor {
    private static final Logger LOG = LoggerFactory.getLogger(BoxDoor.class);
    /** What clients end with themselves when there is no session, and what their callers look for. */
    private static final Ending NO_SESSION = new Ending.Status(255);

    private static final String FILES = "sftp";
    private static final String SHELL_WITHOUT_TERMINAL = "exec \"${SHELL:-/bin/sh}\" -l";

    private final Control control;
    private final String box;

    BoxDoor(Control control, String box) {
        this.control = control;
        this.box = box;
    }

    Ending talk(Caller caller, Conversation conversation) {
        try {
            return switch (conversation.wish()) {
                case Wish.Shell() -> run(caller, conversation, Optional.empty());
                case Wish.Line(String text) ->
                    conversation.terminal().isEmpty() && ProgramTalk.isFor(text)
                            ? pass(caller, conversation, said(conversation).put("script", text))
                            : run(caller, conversation, Optional.of(text));
                case Wish.Subsystem(String name) ->
                    name.equals(FILES)
                            ? pass(caller, conversation, said(conversation).put("files", true))
                            : refuse(conversation, noSubsystem(name));
            };
        } catch (BoxdException e) {
            return refuse(conversation, e);
        } catch (IOException e) {
            LOG.debug("a session broke off", e);
            return NO_SESSION;
        }
    }

    private static BoxdException noSubsystem(String name) {
        return new BoxdException(ErrorCode.INVALID_ARGUMENT, "there is no subsystem " + name);
    }

    private static Ending refuse(Conversation conversation, BoxdException why) {
        Refusal.tell(conversation, why);
        return NO_SESSION;
    }

    private ObjectNode said(Conversation conversation) {
        ObjectNode said = Json.object().put("box", box);
        ObjectNode environment = said.putObject("env");
        conversation.environment().forEach(environment::put);
        return said;
    }

    private Ending pass(Caller caller, Conversation conversation, ObjectNode said) throws IOException {
        return new ProgramTalk(control.program(caller, said), conversation)
                .run()
                .orElse(NO_SESSION);
    }

    private Ending run(Caller caller, Conversation conversation, Optional<String> line) throws IOException {
        ObjectNode said = said(conversation).put("stdin", true);
        boolean terminal = conversation.terminal().isPresent();
        conversation.terminal().ifPresent(it -> {
            said.put("tty", true).put("interactive", true);
            TerminalFields.put(said, it);
        });
        line.or(() -> terminal ? Optional.empty() : Optional.of(SHELL_WITHOUT_TERMINAL))
                .ifPresent(script -> said.put("script", script));
        ExecutionTalk talk = new ExecutionTalk(control.exec(caller, said), BoxDoor::farewell);
        conversation.listen(talk);
        InputPump.start(conversation.input(), talk);
        return talk.run(new ToClient(conversation)).map(BoxDoor::ending).orElse(NO_SESSION);
    }

    /** As a terminal tells its programs that it is gone. When it is the server that ends, they run on. */
    private static Optional<String> farewell(Leaving how) {
        return switch (how) {
            case DELIBERATE, LOST -> Optional.of("HUP");
            case SENT_AWAY -> Optional.empty();
        };
    }

    static Ending ending(Happening.Ended ended) {
        return ended.signal()
                .<Ending>map(Ending.Signal::new)
                .orElseGet(() -> new Ending.Status(ended.exitCode().orElse(0)));
    }
}
