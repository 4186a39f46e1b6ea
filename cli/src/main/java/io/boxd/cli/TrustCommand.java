package io.boxd.cli;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.common.PlainJson;
import io.boxd.console.BrokenOutputException;
import io.boxd.console.Console;
import io.boxd.verbs.Exits;
import io.boxd.verbs.Fields;
import io.boxd.verbs.Request;
import io.boxd.verbs.Verbs;
import java.util.Map;

/** Lets this machine believe a server's own authority, or no more. */
final class TrustCommand {
    private final Servers servers;
    private final Console console;

    TrustCommand(Servers servers, Console console) {
        this.servers = servers;
        this.console = console;
    }

    int perform(Request request) throws BrokenOutputException {
        requireAuthenticated();
        Request asked = new Request(Verbs.named("trust").orElseThrow(), Map.of(), true);
        Fields authority = Fields.of(PlainJson.parse(servers.ask(asked)));
        String fingerprint = authority.text("fingerprint_sha256", "");
        SystemTrust trust = new SystemTrust();
        if (request.verb().name().equals("trust rm")) {
            boolean removed = trust.remove(fingerprint);
            return say(request, Map.of("removed", removed), removed ? "no longer believed\n" : "was not believed\n");
        }
        String file =
                trust.install(authority.text("certificate", ""), fingerprint).toString();
        return say(
                request,
                Map.of("file", file, "fingerprint_sha256", fingerprint),
                "believed by this machine's programs: " + file + "\nbrowsers with stores of their own need it, too\n");
    }

    private int say(Request request, Map<String, Object> answer, String text) throws BrokenOutputException {
        console.print(request.json() ? PlainJson.write(answer) + "\n" : text);
        return Exits.DONE;
    }

    /** What everybody on the way could have changed is nothing to believe in. */
    private void requireAuthenticated() {
        ServerAddress address = servers.address();
        if (!address.url().secure() && address.reach() == ServerAddress.Reach.ANYWHERE) {
            throw new BoxdException(
                    ErrorCode.PERMISSION_DENIED,
                    "whoever is between here and " + address + " could put another authority in its place",
                    "Copy authority.pem out of the server's home over a connection that you trust, and log in with it:"
                            + " boxd login https://HOST --ca authority.pem",
                    null);
        }
    }
}
