package io.boxd.guest;

/** A listener that is there, has come, or has gone. */
public record PortEvent(Kind kind, PortListener listener) {
    /** What has happened. */
    public enum Kind {
        /** It was there when somebody began to look. */
        PRESENT,
        OPENED,
        CLOSED
    }

    static PortEvent parse(PayloadReader reader) throws ProtocolException {
        int kind = reader.u8();
        if (kind >= Kind.values().length) {
            throw new ProtocolException("no such event of a port: " + kind);
        }
        return new PortEvent(Kind.values()[kind], PortListener.parse(reader));
    }
}
