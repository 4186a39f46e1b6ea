package io.boxd.ssh;

import java.util.List;
import org.apache.sshd.common.NamedFactory;
import org.apache.sshd.common.cipher.BuiltinCiphers;
import org.apache.sshd.common.cipher.Cipher;
import org.apache.sshd.common.compression.BuiltinCompressions;
import org.apache.sshd.common.kex.BuiltinDHFactories;
import org.apache.sshd.common.mac.BuiltinMacs;
import org.apache.sshd.common.mac.Mac;
import org.apache.sshd.common.signature.BuiltinSignatures;
import org.apache.sshd.common.signature.Signature;
import org.apache.sshd.server.ServerBuilder;
import org.apache.sshd.server.SshServer;

/**
 * What is spoken: algorithms that are not known to be weak, and no others.
 *
 * <p>SNTRUP is left out, which clients of some years prefer: its computation here takes a tenth of a second for each
 * login. ML-KEM protects as well against those who record today and compute later. Compression is left out, too: it
 * lets a client make the server unpack.
 */
final class Algorithms {
    private static final List<BuiltinDHFactories> EXCHANGES = List.of(
            BuiltinDHFactories.mlkem768x25519, BuiltinDHFactories.curve25519, BuiltinDHFactories.curve25519_libssh);

    private static final List<NamedFactory<Cipher>> CIPHERS = List.of(
            BuiltinCiphers.aes128gcm,
            BuiltinCiphers.aes256gcm,
            BuiltinCiphers.cc20p1305_openssh,
            BuiltinCiphers.aes256ctr,
            BuiltinCiphers.aes128ctr);

    /** For the ciphers that do not authenticate by themselves: only those that look at what was encrypted. */
    private static final List<NamedFactory<Mac>> MACS = List.of(BuiltinMacs.hmacsha256etm, BuiltinMacs.hmacsha512etm);

    /** Of the host key, its certificate, and of clients' keys. */
    private static final List<NamedFactory<Signature>> SIGNATURES = List.of(
            BuiltinSignatures.ed25519,
            BuiltinSignatures.ed25519_cert,
            BuiltinSignatures.sk_ssh_ed25519,
            BuiltinSignatures.nistp256,
            BuiltinSignatures.nistp384,
            BuiltinSignatures.nistp521,
            BuiltinSignatures.sk_ecdsa_sha2_nistp256,
            BuiltinSignatures.rsaSHA512,
            BuiltinSignatures.rsaSHA256);

    private Algorithms() {}

    static void set(SshServer server) {
        server.setKeyExchangeFactories(NamedFactory.setUpTransformedFactories(false, EXCHANGES, ServerBuilder.DH2KEX));
        server.setCipherFactories(CIPHERS);
        server.setMacFactories(MACS);
        server.setSignatureFactories(SIGNATURES);
        server.setCompressionFactories(List.of(BuiltinCompressions.none));
    }
}
