package io.boxd.proxy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Python's own server, with connections that last. */
final class PythonBackend implements TestingBackend {
    private static final String PROGRAM = """
            import http.server, sys
            class Handler(http.server.BaseHTTPRequestHandler):
                protocol_version = 'HTTP/1.1'
                def answer(self):
                    stamped = 'X-Forwarded-Host' in self.headers
                    print(int(stamped), self.path.replace(chr(10), ' '), flush=True)
                    length = self.headers.get('Content-Length')
                    if length and length.isdigit():
                        self.rfile.read(int(length))
                    elif 'chunked' in self.headers.get('Transfer-Encoding', ''):
                        while True:
                            size = int(self.rfile.readline().split(b';')[0] or b'0', 16)
                            self.rfile.read(size)
                            while self.rfile.readline() not in (b'\\r\\n', b'\\n', b''):
                                pass
                            if size == 0:
                                break
                    body = self.path.encode('latin-1')
                    self.send_response(200)
                    self.send_header('Content-Length', str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)
                do_GET = do_POST = answer
                def log_message(self, *words):
                    pass
            server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
            print(server.server_address[1], flush=True)
            server.serve_forever()
            """;

    private final List<Seen> seen = new CopyOnWriteArrayList<>();
    private final Process process;
    private final int port;

    PythonBackend() throws IOException {
        process = new ProcessBuilder("python3", "-c", PROGRAM)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.ISO_8859_1));
        port = Integer.parseInt(lines.readLine());
        Thread.ofVirtual()
                .start(() ->
                        lines.lines().forEach(line -> seen.add(new Seen(line.substring(2), line.startsWith("1")))));
    }

    @Override
    public int port() {
        return port;
    }

    @Override
    public List<Seen> seen() {
        return seen;
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
