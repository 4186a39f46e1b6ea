package io.boxd.guest;

/** What a machine's agent says about itself and its machine; claims, not proofs. */
public record AgentFacts(
        int protocolVersion, boolean firstProcess, long features, String kernelRelease, String agentVersion) {
    /** Reads what follows the nonce in HELLO_ACK. */
    static AgentFacts parse(PayloadReader reader) throws ProtocolException {
        AgentFacts facts = new AgentFacts(
                reader.u16(),
                reader.u8() != 0,
                reader.u32(),
                reader.text(Wire.MAX_FACT_BYTES),
                reader.text(Wire.MAX_FACT_BYTES));
        reader.end();
        return facts;
    }
}
