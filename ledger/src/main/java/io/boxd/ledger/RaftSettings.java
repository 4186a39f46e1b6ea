package io.boxd.ledger;

import io.boxd.trust.Credentials;
import io.boxd.trust.Subject;
import io.boxd.trust.Trust;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.grpc.GrpcConfigKeys;
import org.apache.ratis.grpc.GrpcTlsConfig;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.thirdparty.io.netty.handler.ssl.SslProvider;
import org.apache.ratis.util.SizeInBytes;
import org.apache.ratis.util.TimeDuration;

/** How Ratis is to be: durable before it answers, small, and open only to those whom the instance's authority knows. */
final class RaftSettings {
    /** The largest command, and what may be underway at once. */
    static final int ENTRY_BYTES = 16 << 20;

    /** What Ratis writes around a command. */
    static final int AROUND_BYTES = 64 << 10;

    private static final SizeInBytes PREALLOCATED = SizeInBytes.valueOf(256L << 10);
    private static final int WAITING = 1024;
    private static final Duration CERTIFIED = Duration.ofDays(3650);

    /** Held here: a logger that nobody holds forgets its level. */
    private static final Logger GRPC = Logger.getLogger("org.apache.ratis.thirdparty.io.grpc");

    static {
        // Both would write to the terminal of whoever starts a server; what matters is told to callers anyway.
        GRPC.setLevel(Level.OFF);
        System.setProperty("org.apache.ratis.thirdparty.io.netty.noUnsafe", "true");
    }

    private RaftSettings() {}

    static RaftProperties properties(LedgerConfig config) {
        RaftProperties properties = new RaftProperties();
        RaftServerConfigKeys.setStorageDir(
                properties, List.of(config.log().root().toFile()));
        durable(properties);
        RaftServerConfigKeys.Log.setPreallocatedSize(properties, PREALLOCATED);
        RaftServerConfigKeys.Log.Appender.setBufferByteLimit(properties, SizeInBytes.valueOf(ENTRY_BYTES));
        RaftServerConfigKeys.Log.setWriteBufferSize(properties, SizeInBytes.valueOf(ENTRY_BYTES + AROUND_BYTES));
        RaftServerConfigKeys.Log.setPurgeGap(properties, 1);
        RaftServerConfigKeys.Log.setQueueElementLimit(properties, WAITING);
        RaftServerConfigKeys.Write.setElementLimit(properties, WAITING);
        // Snapshots are ours to take, and not at the end of a server, which is to be quick.
        RaftServerConfigKeys.Snapshot.setAutoTriggerEnabled(properties, false);
        RaftServerConfigKeys.Snapshot.setTriggerWhenStopEnabled(properties, false);
        small(properties, config.memory());
        times(properties);
        doors(properties, config.address());
        return properties;
    }

    /** All are as they are by default; they are said here because everything depends on them. */
    private static void durable(RaftProperties properties) {
        RaftServerConfigKeys.Log.setUseMemory(properties, false);
        RaftServerConfigKeys.Log.setUnsafeFlushEnabled(properties, false);
        RaftServerConfigKeys.Log.setAsyncFlushEnabled(properties, false);
        RaftServerConfigKeys.Log.StateMachineData.setSync(properties, true);
        RaftServerConfigKeys.Log.setCorruptionPolicy(properties, RaftServerConfigKeys.Log.CorruptionPolicy.EXCEPTION);
        // An entry that only says how far others are: nobody but this member asks.
        RaftServerConfigKeys.Log.setLogMetadataEnabled(properties, false);
    }

    private static void small(RaftProperties properties, LogMemory memory) {
        RaftServerConfigKeys.Log.setSegmentSizeMax(properties, SizeInBytes.valueOf(memory.segmentBytes()));
        RaftServerConfigKeys.Log.setSegmentCacheNumMax(properties, memory.finishedSegments());
        RaftServerConfigKeys.RetryCache.setExpiryTime(
                properties, millis(memory.answers().toMillis()));
    }

    /** Alone, nobody else could be the leader: there is nothing to wait for. */
    private static void times(RaftProperties properties) {
        RaftServerConfigKeys.Rpc.setFirstElectionTimeoutMin(properties, millis(1));
        RaftServerConfigKeys.Rpc.setFirstElectionTimeoutMax(properties, millis(5));
        RaftServerConfigKeys.LeaderElection.setPreVote(properties, false);
        // A host that was suspended goes on.
        RaftServerConfigKeys.setCloseThreshold(properties, TimeDuration.valueOf(3650, TimeUnit.DAYS));
    }

    private static TimeDuration millis(long millis) {
        return TimeDuration.valueOf(millis, TimeUnit.MILLISECONDS);
    }

    private static void doors(RaftProperties properties, InetSocketAddress address) {
        GrpcConfigKeys.Server.setHost(properties, address.getAddress().getHostAddress());
        GrpcConfigKeys.Server.setPort(properties, address.getPort());
        GrpcConfigKeys.setUseEpoll(properties, false);
        GrpcConfigKeys.Server.setBossGroupSize(properties, 1);
        GrpcConfigKeys.Server.setWorkerGroupSize(properties, 1);
        GrpcConfigKeys.Client.setWorkerGroupSize(properties, 1);
        GrpcConfigKeys.Server.setAsyncRequestThreadPoolSize(properties, 2);
    }

    /** Nobody speaks to the log without a certificate of the authority. */
    static Parameters parameters(LedgerConfig config) {
        Credentials own = config.authority()
                .issue(new Subject(
                        LogFolder.MEMBER, List.of(), List.of(config.address().getAddress()), CERTIFIED));
        GrpcTlsConfig tls = GrpcTlsConfig.newBuilder()
                .setKeyManager(own.keyManager())
                .setTrustManager(Trust.in(List.of(config.authority().certificate())))
                .setMutualTls(true)
                .setSslProvider(SslProvider.JDK)
                .build();
        Parameters parameters = new Parameters();
        GrpcConfigKeys.TLS.setConf(parameters, tls);
        return parameters;
    }
}
