package io.boxd.login;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The package oidc-provider, run by node; installed once, into the cache that images have. */
final class TestingIssuer implements AutoCloseable {
    static final String CLIENT = "boxd";
    static final String SECRET = "not+so/secret=";
    private static final String PACKAGE = "oidc-provider@9.13.3";

    private final Path script;
    private final Process process;
    private final URI address;

    private TestingIssuer(Path script, Process process, URI address) {
        this.script = script;
        this.process = process;
        this.address = address;
    }

    static TestingIssuer start() throws IOException, InterruptedException {
        Path folder = installed();
        Path script = Files.createTempFile("boxd-test-", ".mjs");
        try (InputStream resource = TestingIssuer.class.getResourceAsStream("/issuer.mjs")) {
            if (resource == null) {
                throw new IllegalStateException("issuer.mjs is missing");
            }
            Files.write(script, resource.readAllBytes());
        }
        Process process = new ProcessBuilder("node", script.toString(), folder.toString(), CLIENT, SECRET)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        BufferedReader said =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        for (String line = said.readLine(); line != null; line = said.readLine()) {
            if (line.startsWith("http://")) {
                Thread.startVirtualThread(() -> said.lines().forEach(_ -> {}));
                return new TestingIssuer(script, process, URI.create(line));
            }
        }
        process.destroyForcibly();
        throw new IllegalStateException("the issuer does not start");
    }

    private static Path installed() throws IOException, InterruptedException {
        Path folder = Path.of(System.getProperty("boxd.image.cache", "/var/cache/boxd"), "testing", "oidc-provider");
        if (!Files.exists(folder.resolve("node_modules/oidc-provider/package.json"))) {
            Files.createDirectories(folder);
            Process npm = new ProcessBuilder(List.of(
                            "npm", "install", "--no-audit", "--no-fund", "--prefix", folder.toString(), PACKAGE))
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            if (!npm.waitFor(180, TimeUnit.SECONDS) || npm.exitValue() != 0) {
                npm.destroyForcibly();
                throw new IllegalStateException(PACKAGE + " could not be installed into " + folder);
            }
        }
        return folder;
    }

    URI address() {
        return address;
    }

    IssuerConfig config() {
        return new IssuerConfig(address, CLIENT, SECRET, List.of("openid", "email", "profile"));
    }

    @Override
    public void close() {
        process.destroyForcibly();
        process.onExit().join();
        try {
            Files.delete(script);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
