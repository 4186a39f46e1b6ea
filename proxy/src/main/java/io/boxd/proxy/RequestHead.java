package io.boxd.proxy;

import java.nio.charset.StandardCharsets;
import java.util.List;

/** The head of a request as a box gets it: always HTTP/1.1, with one host and one framing. */
record RequestHead(String method, String target, List<Field> fields) {
    private static final String END = "\r\n";

    RequestHead {
        fields = List.copyOf(fields);
    }

    byte[] encoded() {
        StringBuilder text = new StringBuilder(512);
        text.append(method).append(' ').append(target).append(" HTTP/1.1").append(END);
        for (Field field : fields) {
            text.append(field.name()).append(": ").append(field.value()).append(END);
        }
        return text.append(END).toString().getBytes(StandardCharsets.ISO_8859_1);
    }
}
