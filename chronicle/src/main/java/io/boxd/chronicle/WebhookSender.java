package io.boxd.chronicle;

import io.boxd.common.Deadline;
import io.boxd.linux.Seal;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/**
 * Posts one event to one webhook.
 *
 * <p>With sockets of its own, because the address that is looked at must be the very one that is dialled: a name may
 * lead elsewhere the next time that it is asked for. Redirects are not followed, and an answer is read no further than
 * its first line.
 */
final class WebhookSender {
    static final String SIGNATURE = "Boxd-Signature";

    private static final Duration LIMIT = Duration.ofSeconds(10);
    private static final int LONGEST_LINE = 1024;

    /** What a name leads to. */
    interface Names {
        List<InetAddress> addresses(String host) throws UnknownHostException;
    }

    /** How a delivery ended. */
    sealed interface Outcome {
        record Delivered(int status) implements Outcome {}

        record Failed(String why) implements Outcome {}
    }

    private final Predicate<InetAddress> allowed;
    private final Names names;
    private final Duration limit;

    /** @param allowed which addresses may be dialled */
    WebhookSender(Predicate<InetAddress> allowed, Names names, Duration limit) {
        this.allowed = allowed;
        this.names = names;
        this.limit = limit;
    }

    static WebhookSender usual(Predicate<InetAddress> allowed) {
        return new WebhookSender(allowed, host -> List.of(InetAddress.getAllByName(host)), LIMIT);
    }

    /** The header that proves who sent the body, and when. */
    static String signature(String secret, Instant at, String body) {
        long seconds = at.getEpochSecond();
        String code = Seal.of(secret.getBytes(StandardCharsets.UTF_8)).code(seconds + "." + body);
        return "t=" + seconds + ",v1=" + code;
    }

    Outcome send(Webhook hook, Event event, String body) {
        Deadline deadline = Deadline.in(limit);
        try {
            WebhookTarget target = WebhookTarget.parse(hook.url());
            InetAddress address = address(target, deadline);
            int status = post(hook, event, body, target, address, deadline);
            return status / 100 == 2
                    ? new Outcome.Delivered(status)
                    : new Outcome.Failed("it answered with status " + status + redirected(status));
        } catch (IOException | RuntimeException e) {
            return new Outcome.Failed(
                    deadline.passed() ? "it did not answer within " + limit.toSeconds() + " seconds" : reason(e));
        }
    }

    private static String redirected(int status) {
        return status / 100 == 3 ? "; redirects are not followed" : "";
    }

    private static String reason(Exception e) {
        return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    }

    private InetAddress address(WebhookTarget target, Deadline deadline) throws IOException {
        for (InetAddress address : resolve(target.hostToResolve(), deadline)) {
            if (allowed.test(address)) {
                return address;
            }
        }
        throw new IOException(
                target.host() + " leads to an address of this host or of a private network, where webhooks"
                        + " may not be (webhooks_allow_private)");
    }

    /** The resolver of the system has no deadline of its own. */
    private List<InetAddress> resolve(String host, Deadline deadline) throws IOException {
        CompletableFuture<List<InetAddress>> found = new CompletableFuture<>();
        Thread.ofVirtual().name("webhook-name").start(() -> {
            try {
                found.complete(names.addresses(host));
            } catch (UnknownHostException | RuntimeException e) {
                found.completeExceptionally(e);
            }
        });
        try {
            return found.get(deadline.leftNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } catch (ExecutionException e) {
            throw new IOException("the name " + host + " leads nowhere", e);
        } catch (TimeoutException e) {
            throw new IOException("the name " + host + " could not be resolved in time", e);
        }
    }

    private static int post(
            Webhook hook, Event event, String body, WebhookTarget target, InetAddress address, Deadline deadline)
            throws IOException {
        try (Socket plain = new Socket()) {
            CountDownLatch done = new CountDownLatch(1);
            Thread.ofVirtual().name("webhook-limit").start(() -> cutOff(plain, done, deadline));
            try {
                plain.connect(new InetSocketAddress(address, target.port()), millis(deadline));
                plain.setSoTimeout(millis(deadline));
                Socket socket = target.secure() ? secured(plain, target) : plain;
                socket.getOutputStream().write(request(hook, event, body, target));
                socket.getOutputStream().flush();
                return status(socket.getInputStream());
            } finally {
                done.countDown();
            }
        }
    }

    private static int millis(Deadline deadline) {
        return (int) Math.max(1, deadline.leftMillis());
    }

    /** Whatever it is busy with: nobody on the other side can hold it for longer. */
    private static void cutOff(Socket socket, CountDownLatch done, Deadline deadline) {
        try {
            if (!done.await(deadline.leftNanos(), TimeUnit.NANOSECONDS)) {
                socket.close();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            // It is closed as far as it can be.
            return;
        }
    }

    private static Socket secured(Socket plain, WebhookTarget target) throws IOException {
        SSLSocketFactory factory = (SSLSocketFactory) SSLSocketFactory.getDefault();
        SSLSocket socket = (SSLSocket) factory.createSocket(plain, target.hostToResolve(), target.port(), true);
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        socket.setSSLParameters(parameters);
        socket.startHandshake();
        return socket;
    }

    private static byte[] request(Webhook hook, Event event, String body, WebhookTarget target) {
        byte[] content = body.getBytes(StandardCharsets.UTF_8);
        String head = "POST " + target.path() + " HTTP/1.1\r\n"
                + "Host: " + target.authority() + "\r\n"
                + "User-Agent: boxd\r\n"
                + "Content-Type: application/json\r\n"
                + "Content-Length: " + content.length + "\r\n"
                + "Connection: close\r\n"
                + "Boxd-Webhook: " + hook.id() + "\r\n"
                + "Boxd-Event: " + event.sequence() + "\r\n"
                + SIGNATURE + ": " + signature(hook.secret(), Instant.now(), body) + "\r\n\r\n";
        byte[] start = head.getBytes(StandardCharsets.US_ASCII);
        byte[] all = java.util.Arrays.copyOf(start, start.length + content.length);
        System.arraycopy(content, 0, all, start.length, content.length);
        return all;
    }

    private static int status(InputStream input) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = input.read(); next != '\n'; next = input.read()) {
            if (next < 0) {
                throw new EOFException("it ended the connection without an answer");
            }
            line.append((char) next);
            if (line.length() > LONGEST_LINE) {
                throw new IOException("its answer is no HTTP");
            }
        }
        String[] words = line.toString().strip().split(" ", 3);
        if (words.length < 2 || !words[0].startsWith("HTTP/1.") || !words[1].matches("[1-5][0-9][0-9]")) {
            throw new IOException("its answer is no HTTP");
        }
        return Integer.parseInt(words[1]);
    }
}
