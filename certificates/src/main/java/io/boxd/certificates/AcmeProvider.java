package io.boxd.certificates;

import io.boxd.trust.Pem;
import io.boxd.trust.Trust;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.shredzone.acme4j.connector.NetworkSettings;
import org.shredzone.acme4j.provider.GenericAcmeProvider;

/** Any authority that speaks ACME, also one that only its own people believe. */
final class AcmeProvider extends GenericAcmeProvider {
    static final Duration PATIENCE = Duration.ofSeconds(20);

    private final Optional<Path> believed;

    AcmeProvider(Optional<Path> believed) {
        this.believed = believed;
    }

    @Override
    public HttpClient createHttpClient(NetworkSettings settings) {
        HttpClient.Builder builder = HttpClient.newBuilder()
                .connectTimeout(PATIENCE)
                .followRedirects(HttpClient.Redirect.NORMAL)
                .proxy(settings.getProxySelector());
        believed.ifPresent(file -> builder.sslContext(Trust.asking(Pem.certificates(file))));
        return builder.build();
    }
}
