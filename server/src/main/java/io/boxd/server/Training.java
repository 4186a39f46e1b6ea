package io.boxd.server;

import io.boxd.accounts.AccountCommand;
import io.boxd.accounts.AccountDecisions;
import io.boxd.accounts.AccountRecord;
import io.boxd.accounts.AccountRows;
import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.control.Images;
import io.boxd.control.RequestRecord;
import io.boxd.control.ServerFacts;
import io.boxd.linux.Command;
import io.boxd.linux.FileOwner;
import io.boxd.vmm.Accelerator;
import io.boxd.vmm.ProbeResult;
import io.boxd.worker.Admission;
import io.boxd.worker.BoxWitness;
import io.boxd.worker.Boxes;
import io.boxd.worker.SqliteRecord;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Proxy;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.jar.JarFile;

/**
 * Does once what the server does when it starts, while the build watches which classes that needs: the archive of them
 * is why {@code up}, {@code serve} and {@code doctor} start at once. Needs no root, no machine and no network.
 */
final class Training {
    private Training() {}

    public static void main(String[] words) throws IOException {
        loadOwnClasses();
        Path folder = Files.createTempDirectory("boxd-training");
        try {
            ServerConfig config = config(folder);
            HostCommands.run(List.of("up", "--help"));
            HostCommands.run(List.of("upp"));
            for (boolean json : List.of(false, true)) {
                boolean healthy = new Doctor(config).run(json);
                Screen.say("trained where boxes can run: " + healthy);
            }
            Command.of("/bin/true").check(Deadline.inSeconds(60));
            SqliteRecord.open(folder.resolve("record.db")).close();
            new Down(config).run(false);
            serve(config);
        } finally {
            FileOwner.deleteTree(folder);
        }
        // Which classes it takes to close a server and its clients depends on what their threads do in that moment.
        Runtime.getRuntime().halt(0);
    }

    /** Most of them are needed by a server that has machines, which this one has not. */
    private static void loadOwnClasses() throws IOException {
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            Path path = Path.of(entry);
            if (path.getFileName().toString().matches("boxd-.*\\.jar")) {
                try (JarFile jar = new JarFile(path.toFile())) {
                    jar.stream()
                            .map(file -> file.getName())
                            .filter(name -> name.matches("io/boxd/.*(?<!-info)\\.class"))
                            .forEach(Training::load);
                }
            }
        }
    }

    private static void load(String file) {
        String name = file.substring(0, file.length() - ".class".length()).replace('/', '.');
        try {
            Class<?> loaded = Class.forName(name, false, Training.class.getClassLoader());
            assert loaded.getName().equals(name);
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException("a jar without what it lists: " + name, e);
        }
    }

    private static ServerConfig config(Path folder) throws IOException {
        Path file = folder.resolve("boxd.toml");
        Files.writeString(file, "http_port = 0\nhttps_port = 0\nssh_port = 0\nuplinks = [\"lo\"]\n");
        return Configuration.read(
                Optional.of(file),
                Map.of(
                        Setting.HOME.variable(),
                        folder.resolve("home").toString(),
                        Setting.REGISTRY.variable(),
                        folder.resolve("registry").toString()));
    }

    private static void serve(ServerConfig config) throws IOException {
        Server server = Server.open(config, new NoRooms());
        try {
            ask(server.facts(), new InstanceFiles(config.home()));
        } catch (IOException | RuntimeException e) {
            server.close();
            throw e;
        }
    }

    private static void ask(ServerFacts facts, InstanceFiles files) throws IOException {
        LocalServer local = new LocalServer();
        Deadline deadline = Deadline.inSeconds(60);
        while (!local.ready(files.running().orElse(facts)).words().endsWith(NoRooms.WHY)) {
            if (!local.pause(deadline)) {
                throw deadline.exceeded("the trial of a first box");
            }
        }
        // The first answer may have been the last, and a connection that is used again takes more classes.
        for (int again = 0; again < 2; again++) {
            Screen.say("ready: " + local.ready(facts).ready());
        }
        // By another client, so that the threads of the first, which nobody waits for, have done their work by then.
        for (String path : List.of("/v1/status", "/v1/boxes", "/v1/boxes/none")) {
            HttpURLConnection connection =
                    (HttpURLConnection) URI.create(facts.url() + path).toURL().openConnection();
            connection.setRequestProperty("Authorization", "Bearer " + files.secret());
            boolean refused = connection.getResponseCode() >= HttpURLConnection.HTTP_BAD_REQUEST;
            // To its end: otherwise the connection is closed, and the server may notice that or not.
            try (InputStream answer = refused ? connection.getErrorStream() : connection.getInputStream()) {
                Screen.say(path + " is answered with bytes: " + answer.readAllBytes().length);
            }
        }
    }

    /** Accounts for as long as the training lasts. */
    private static final class Forgotten implements AccountRecord {
        private AccountRows rows = AccountRows.none();

        @Override
        public AccountRows rows() {
            return rows;
        }

        @Override
        public AccountRows apply(AccountCommand command) {
            rows = rows.after(AccountDecisions.of(rows, command, _ -> false));
            return rows;
        }
    }

    /** No boxes, and none can be made. */
    private static final class NoRooms implements Rooms {
        static final String WHY = "there are no machines in a training";

        @Override
        public ProbeResult accelerator(Deadline deadline) {
            return new ProbeResult(Accelerator.TCG, WHY, false);
        }

        @Override
        public Boxes boxes(ProbeResult accelerator, Admission admission, BoxWitness witness, Deadline deadline) {
            return empty(Boxes.class);
        }

        @Override
        public AccountRecord accounts(Deadline deadline) {
            return new Forgotten();
        }

        @Override
        public RequestRecord requests() {
            return empty(RequestRecord.class);
        }

        @Override
        public HostUser founder() {
            return new HostUser("somebody", 0, Path.of("/proc/nobody"));
        }

        @Override
        public Images images() {
            return empty(Images.class);
        }

        @Override
        public void close() {}

        /** Lists nothing, closes, and can do nothing else. */
        private static <T> T empty(Class<T> type) {
            return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (_, method, _) -> {
                if (method.getReturnType() == List.class) {
                    return List.of();
                }
                return switch (method.getName()) {
                    case "close", "require" -> null;
                    case "equals" -> true; // asked of itself only
                    default -> throw new BoxdException(ErrorCode.UNAVAILABLE, WHY);
                };
            }));
        }
    }
}
