package io.boxd.control;

import io.boxd.chronicle.Event;
import io.boxd.chronicle.EventQuestion;
import io.boxd.chronicle.Feed;
import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import java.util.Optional;

/** Events from some number on; who follows is a number here, and no more. */
final class EventFollowing implements Following {
    private final Feed feed;
    private final EventQuestion question;
    private volatile long position;
    private volatile boolean closed;

    EventFollowing(Feed feed, EventQuestion question, long position) {
        this.feed = feed;
        this.question = question;
        this.position = position;
    }

    @Override
    public long position() {
        return position;
    }

    @Override
    public Optional<Told> next(Deadline deadline) {
        try {
            while (!closed && !deadline.passed()) {
                Optional<Event> event = feed.next(position, () -> !closed, deadline);
                if (event.isPresent() && !closed) {
                    position = event.get().sequence();
                    if (question.fits(event.get())) {
                        return event.map(each -> new Told(each.sequence(), "event", HistoryAnswers.event(each)));
                    }
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BoxdException(ErrorCode.UNAVAILABLE, "waiting for events was interrupted", e);
        }
        if (closed) {
            throw new BoxdException(ErrorCode.UNAVAILABLE, "the stream was closed");
        }
        return Optional.empty();
    }

    @Override
    public void close() {
        closed = true;
        feed.remind();
    }
}
