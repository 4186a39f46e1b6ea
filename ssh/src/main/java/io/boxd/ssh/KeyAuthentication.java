package io.boxd.ssh;

import io.boxd.common.BoxdException;
import java.io.IOException;
import java.security.PublicKey;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.apache.sshd.common.AttributeRepository.AttributeKey;
import org.apache.sshd.common.NamedFactory;
import org.apache.sshd.common.SshConstants;
import org.apache.sshd.common.config.keys.OpenSshCertificate;
import org.apache.sshd.common.signature.Signature;
import org.apache.sshd.common.util.buffer.Buffer;
import org.apache.sshd.server.auth.pubkey.UserAuthPublicKey;
import org.apache.sshd.server.auth.pubkey.UserAuthPublicKeyFactory;
import org.apache.sshd.server.session.ServerSession;
import org.jspecify.annotations.Nullable;

/** Lets everybody in who can sign with some key, and notes with which; who that is, is asked later, each time. */
final class KeyAuthentication extends UserAuthPublicKey {
    private static final AttributeKey<ProvenKey> PROVEN = new AttributeKey<>();
    private static final AttributeKey<KeyOffers> OFFERS = new AttributeKey<>();

    private @Nullable ProvenKey candidate;
    private boolean putOff;

    private KeyAuthentication(List<NamedFactory<Signature>> signatures) {
        super(signatures);
    }

    /** Makes one for each attempt. */
    static UserAuthPublicKeyFactory factory() {
        return new UserAuthPublicKeyFactory() {
            @Override
            public UserAuthPublicKey createUserAuth(ServerSession session) {
                return new KeyAuthentication(getSignatureFactories());
            }
        };
    }

    /** The session gets what it needs to judge offers. */
    static void prepare(ServerSession session, Predicate<String> known) {
        session.setAttribute(OFFERS, new KeyOffers(known));
    }

    /** The key that has signed; of a session that is authenticated. */
    static ProvenKey proven(ServerSession session) {
        return Objects.requireNonNull(session.getAttribute(PROVEN), "nobody has signed");
    }

    @Override
    public Boolean auth(ServerSession session, String username, String service, Buffer buffer) throws Exception {
        session.setPublickeyAuthenticator((_, key, _) -> {
            // Certificates are for those who trust an authority of users, and there is none.
            return !(key instanceof OpenSshCertificate) && isToSign(session, key);
        });
        return super.auth(session, username, service, buffer);
    }

    private boolean isToSign(ServerSession session, PublicKey key) {
        ProvenKey offered;
        try {
            offered = ProvenKey.of(key);
        } catch (BoxdException e) {
            return false; // too short, or of a kind that no account can have
        }
        candidate = offered;
        KeyOffers offers = Objects.requireNonNull(session.getAttribute(OFFERS), "not prepared");
        return switch (offers.answer(offered.fingerprint())) {
            case SIGN -> true;
            case ANOTHER_FIRST -> {
                putOff = true;
                yield false;
            }
            case NO -> false;
        };
    }

    @Override
    public @Nullable Boolean doAuth(Buffer buffer, boolean init) throws Exception {
        Boolean outcome = super.doAuth(buffer, init);
        if (Boolean.TRUE.equals(outcome)) {
            // Of this very request, whose signature was just verified.
            getServerSession().setAttribute(PROVEN, Objects.requireNonNull(candidate));
        } else if (putOff) {
            sendAnotherFirst(getServerSession());
            return null;
        }
        return outcome;
    }

    /** "Partial success" makes clients go through all their keys again, with those that were put off. */
    private static void sendAnotherFirst(ServerSession session) throws IOException {
        Buffer answer = session.createBuffer(SshConstants.SSH_MSG_USERAUTH_FAILURE);
        answer.putString(NAME);
        answer.putBoolean(true);
        session.writePacket(answer);
    }
}
