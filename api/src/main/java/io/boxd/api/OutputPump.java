package io.boxd.api;

import io.boxd.common.Deadline;
import io.boxd.common.Json;
import io.boxd.control.BoxStream;
import io.boxd.control.ExecutionStream;
import io.boxd.control.Happening;
import io.boxd.guest.OutputChannel;
import tools.jackson.databind.node.ObjectNode;

/** Sends what a box says to the client of its stream, to the end. */
final class OutputPump {
    private static final int STDOUT = 1;
    private static final int STDERR = 2;

    private final BoxStream stream;
    private final Outgoing outgoing;
    private final TypedInput input;

    OutputPump(BoxStream stream, Outgoing outgoing, TypedInput input) {
        this.stream = stream;
        this.outgoing = outgoing;
        this.input = input;
    }

    void run() {
        ObjectNode first = Json.object();
        first.set("started", StreamFacts.started(stream));
        outgoing.text(first);
        if (stream instanceof ExecutionStream execution && execution.takesInput()) {
            Thread.ofVirtual().name("input-" + execution.execution()).start(() -> input.passOn(execution, outgoing));
        }
        while (true) {
            switch (stream.next(Deadline.in(ApiLimits.PING))) {
                case Happening.Output(OutputChannel channel, var data) ->
                    outgoing.binary(channel == OutputChannel.STDOUT ? STDOUT : STDERR, data);
                case Happening.Skipped(long to) -> {
                    ObjectNode message = Json.object();
                    message.putObject("skipped").put("to", to);
                    outgoing.text(message);
                }
                case Happening.Nothing() -> outgoing.ping();
                case Happening.Ended ended -> {
                    ObjectNode message = Json.object();
                    message.set("ended", ended.json());
                    outgoing.text(message);
                    return;
                }
            }
        }
    }
}
