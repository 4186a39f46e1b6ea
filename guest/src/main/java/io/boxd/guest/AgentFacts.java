package io.boxd.guest;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;

/** What a machine's agent says about itself and its machine; claims, not proofs. */
public record AgentFacts(
        int protocolVersion, boolean firstProcess, long features, String kernelRelease, String agentVersion) {
    /** Programs whose bytes pass through, serving files, names and addresses to dial, listeners. */
    static final long LINES = 1;

    /** Throws if this agent is too old for something. */
    void require(long feature) {
        if ((features & feature) == 0) {
            throw new BoxdException(
                    ErrorCode.WRONG_STATE,
                    "the agent of this machine is older than what is asked of it",
                    "Restart the box: it gets the agent of today.",
                    null);
        }
    }

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
