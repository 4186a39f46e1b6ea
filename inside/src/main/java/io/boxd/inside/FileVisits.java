package io.boxd.inside;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.common.Json;
import io.boxd.control.BoxFiles;
import io.boxd.control.Caller;
import io.boxd.control.Control;
import java.io.IOException;
import java.io.InputStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ObjectNode;

/** Files of boxes for one door; content passes through. */
final class FileVisits {
    private static final Logger LOG = LoggerFactory.getLogger(FileVisits.class);

    private final Control control;

    FileVisits(Control control) {
        this.control = control;
    }

    void serve(Conversation conversation, Question question, Caller caller, ObjectNode asked) {
        BoxFiles files = control.files(caller);
        BoxFiles.Place place = FileForms.place(asked.path("place"));
        switch (question) {
            case FILE_READ -> {
                try (BoxFiles.FileContent content = files.read(place, FileForms.options(asked.path("range")))) {
                    send(conversation, FileForms.write(content.attributes()), content);
                }
            }
            case FILE_PACK -> {
                try (BoxFiles.Download archive = files.pack(place)) {
                    send(conversation, Json.object(), archive);
                }
            }
            case FILE_WRITE ->
                answer(
                        conversation,
                        files.write(
                                place, FileForms.writing(asked.path("writing")), new ConversationInput(conversation)));
            case FILE_UNPACK -> answer(conversation, files.unpack(place, new ConversationInput(conversation)));
            case FILE_STAT -> answer(conversation, files.stat(place));
            default -> throw new IllegalArgumentException(question + " is not about files");
        }
    }

    private static void answer(Conversation conversation, ObjectNode answer) {
        conversation.say(answer);
        conversation.end();
    }

    /** A failure on the way ends the conversation with it, so that nobody takes a part for the whole. */
    private static void send(Conversation conversation, ObjectNode facts, BoxFiles.Download download) {
        conversation.say(facts);
        StreamVisits.whenLeft(conversation, () -> closeEarly(download));
        InputStream content = download.content();
        byte[] chunk = new byte[InsideLimits.FRAME_BYTES];
        try {
            for (int count = content.read(chunk); count >= 0; count = content.read(chunk)) {
                conversation.send(0, chunk, 0, count);
            }
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.UNAVAILABLE, String.valueOf(e.getMessage()), e);
        }
        conversation.end();
    }

    private static void closeEarly(BoxFiles.Download download) {
        try {
            download.close();
        } catch (BoxdException e) {
            LOG.debug("a download was over already", e);
        }
    }
}
