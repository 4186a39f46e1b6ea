package io.boxd.login;

import java.io.IOException;
import java.net.CookieManager;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A person with a browser: opens a page, fills in forms, and goes where they lead. */
final class TestingBrowser implements AutoCloseable {
    private static final Pattern FORM =
            Pattern.compile("<form[^>]*action=\"([^\"]*)\"[^>]*>(.*?)</form>", Pattern.DOTALL);
    private static final Pattern INPUT = Pattern.compile("<input[^>]*>");
    private static final Pattern NAME = Pattern.compile("name=\"([^\"]*)\"");
    private static final Pattern VALUE = Pattern.compile("value=\"([^\"]*)\"");
    private static final int MOST_PAGES = 10;

    private final HttpClient client = HttpClient.newBuilder()
            .cookieHandler(new CookieManager())
            .followRedirects(HttpClient.Redirect.ALWAYS)
            .connectTimeout(Duration.ofSeconds(10))
            .build();

    /** Logs in as somebody and agrees to everything, until there is nothing more to agree to. */
    String logIn(URI page, String name) throws IOException, InterruptedException {
        HttpResponse<String> shown = send(HttpRequest.newBuilder(page).GET());
        for (int pages = 0; pages < MOST_PAGES; pages++) {
            Matcher form = FORM.matcher(shown.body());
            if (!form.find()) {
                return shown.body();
            }
            Map<String, String> fields = fields(form.group(2));
            fields.computeIfPresent("login", (_, _) -> name);
            fields.computeIfPresent("password", (_, _) -> "anything");
            fields.remove("abort");
            String body = fields.entrySet().stream()
                    .map(field -> Web.encoded(field.getKey()) + "=" + Web.encoded(field.getValue()))
                    .collect(Collectors.joining("&"));
            shown = send(
                    HttpRequest.newBuilder(shown.uri().resolve(form.group(1).replace("&amp;", "&")))
                            .header("Content-Type", "application/x-www-form-urlencoded")
                            .POST(HttpRequest.BodyPublishers.ofString(body)));
        }
        throw new IllegalStateException("there is no end of forms: " + shown.body());
    }

    private static Map<String, String> fields(String form) {
        Map<String, String> fields = new LinkedHashMap<>();
        Matcher input = INPUT.matcher(form);
        while (input.find()) {
            Matcher name = NAME.matcher(input.group());
            Matcher value = VALUE.matcher(input.group());
            if (name.find()) {
                fields.put(name.group(1), value.find() ? value.group(1) : "");
            }
        }
        return fields;
    }

    private HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
        return client.send(request.timeout(Duration.ofSeconds(20)).build(), HttpResponse.BodyHandlers.ofString());
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}
