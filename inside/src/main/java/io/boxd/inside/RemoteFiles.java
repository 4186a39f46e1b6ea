package io.boxd.inside;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.control.BoxFiles;
import io.boxd.control.Caller;
import io.boxd.guest.FileAttributes;
import io.boxd.guest.ReadOptions;
import java.io.IOException;
import java.io.InputStream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Files in boxes, by way of control in another process; content passes through. */
final class RemoteFiles implements BoxFiles {
    private final RemoteControl control;
    private final Caller caller;

    RemoteFiles(RemoteControl control, Caller caller) {
        this.control = control;
        this.caller = caller;
    }

    private ObjectNode question(Question question, Place place) {
        ObjectNode asked = RemoteControl.question(question, caller);
        asked.set("place", FileForms.write(place));
        return asked;
    }

    /** What control says first, and the content behind it. */
    private record Content(Conversation conversation, JsonNode facts) implements FileContent {
        @Override
        public FileAttributes attributes() {
            return FileForms.attributes(facts);
        }

        @Override
        public InputStream content() {
            return new ConversationInput(conversation);
        }

        @Override
        public void close() {
            conversation.close();
        }
    }

    private Content open(ObjectNode asked) {
        Conversation conversation = control.begin(asked);
        try {
            return new Content(conversation, RemoteControl.text(conversation));
        } catch (RuntimeException e) {
            conversation.close();
            throw e;
        }
    }

    @Override
    public FileContent read(Place place, ReadOptions range) {
        ObjectNode asked = question(Question.FILE_READ, place);
        asked.set("range", FileForms.write(range));
        return open(asked);
    }

    @Override
    public Download pack(Place place) {
        return open(question(Question.FILE_PACK, place));
    }

    @Override
    public ObjectNode write(Place place, Writing writing, InputStream content) {
        ObjectNode asked = question(Question.FILE_WRITE, place);
        asked.set("writing", FileForms.write(writing));
        return send(asked, content);
    }

    @Override
    public ObjectNode unpack(Place place, InputStream archive) {
        return send(question(Question.FILE_UNPACK, place), archive);
    }

    /** Left in the middle if the content breaks off, so that nobody takes a part for the whole. */
    private ObjectNode send(ObjectNode asked, InputStream content) {
        try (Conversation conversation = control.begin(asked)) {
            byte[] chunk = new byte[InsideLimits.FRAME_BYTES];
            for (int count = content.read(chunk); count >= 0; count = content.read(chunk)) {
                conversation.send(0, chunk, 0, count);
            }
            conversation.end();
            return (ObjectNode) RemoteControl.answer(conversation);
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.UNAVAILABLE, "the content could not be read: " + e.getMessage(), e);
        }
    }

    @Override
    public ObjectNode stat(Place place) {
        return (ObjectNode) control.ask(question(Question.FILE_STAT, place));
    }
}
