package io.boxd.proxy;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Requests in which another one is hidden, so that whoever reads their length in another way takes it for one: a table of
 * ways to say a length, combined with bodies that look finished by one of them.
 */
final class SmugglingCorpus {
    private static final String HIDDEN = "GET /hidden HTTP/1.1\r\nHost: victim\r\nX-Hidden: 1\r\n\r\n";

    /** Lines that some readers take for chunked and others do not. */
    private static final List<String> CODINGS = List.of(
            "Transfer-Encoding: chunked",
            "Transfer-Encoding : chunked",
            "Transfer-Encoding\t: chunked",
            " Transfer-Encoding: chunked",
            "Transfer-Encoding:chunked",
            "Transfer-Encoding:\tchunked",
            "Transfer-Encoding: \u000bchunked",
            "Transfer-Encoding: chunked\u000b",
            "Transfer-Encoding: chunked\u0000",
            "Transfer-Encoding: Chunked",
            "Transfer-Encoding: xchunked",
            "Transfer-Encoding: chunkedx",
            "Transfer-Encoding: \"chunked\"",
            "Transfer-Encoding: 'chunked'",
            "Transfer-Encoding: chunked, identity",
            "Transfer-Encoding: identity, chunked",
            "Transfer-Encoding: identity",
            "Transfer-Encoding: gzip, chunked",
            "Transfer-Encoding: chunked, chunked",
            "Transfer-Encoding: chunked;q=1",
            "Transfer-Encoding: ,chunked",
            "Transfer-Encoding: chunked,",
            "Transfer-Encoding:\r\n chunked",
            "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked",
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
            "Transfer_Encoding: chunked",
            "Transfer.Encoding: chunked",
            "Transfer-Encoding\u0000: chunked",
            "Transfer-Encoding\u00a0: chunked",
            "X: y\nTransfer-Encoding: chunked",
            "X: y\rTransfer-Encoding: chunked",
            "X: y\r\n\tTransfer-Encoding: chunked",
            "X: y\r\r\nTransfer-Encoding: chunked",
            "Connection: Transfer-Encoding\r\nTransfer-Encoding: chunked",
            "TE: chunked",
            "Transfer-Encoding: cow\r\nTransfer-Encoding: chunked",
            "transfer-encoding: chunked",
            "TRANSFER-ENCODING: CHUNKED");

    /** Ways to say a length; the number stands for that of a whole body. */
    private static final List<String> LENGTHS = List.of(
            "Content-Length: %d",
            "Content-Length: +%d",
            "Content-Length: 0%d",
            "Content-Length: 0x%x",
            "Content-Length: %d, %d",
            "Content-Length: 0, %d",
            "Content-Length: %d, 0",
            "Content-Length: 0\r\nContent-Length: %d",
            "Content-Length: %d\r\nContent-Length: 0",
            "Content-Length: %d\r\nContent-Length: %d",
            "Content-Length : %d",
            "Content-Length\t: %d",
            " Content-Length: %d",
            "Content-Length: %d.0",
            "Content-Length: %d;0",
            "Content-Length: -%d",
            "Content-Length: %d a",
            "Content-Length: \u000b%d",
            "Content-Length: %d\u0000",
            "Content-Length:\r\n %d",
            "Content_Length: %d",
            "Content-Length\u0000: %d",
            "X: y\nContent-Length: %d",
            "X: y\rContent-Length: %d",
            "Connection: Content-Length\r\nContent-Length: %d",
            "Content-Length: 1%d000000000000000000000");

    /** Chunked bodies that end in two places. */
    private static final List<String> CHUNKS = List.of(
            "0\r\n\r\n",
            "0\n\n",
            "0\r\n\n",
            "0\n\r\n",
            "0;a\r\n\r\n",
            "0;a=\"\r\n\r\n\"\r\n\r\n",
            "0 \r\n\r\n",
            " 0\r\n\r\n",
            "00\r\n\r\n",
            "0x0\r\n\r\n",
            "+0\r\n\r\n",
            "-0\r\n\r\n",
            "\r\n0\r\n\r\n",
            "0\r\nX: y\r\n\r\n",
            "0\r\nContent-Length: 50\r\n\r\n",
            "0\r\nTransfer-Encoding: chunked\r\n\r\n",
            "0\r\nX-Boxd-User: evil\r\n\r\n",
            "0\r\nX y\r\n\r\n",
            "1\r\na\r\n0\r\n\r\n",
            "1\r\nab\r\n0\r\n\r\n",
            "1\r\na0\r\n\r\n",
            "1\r\na\n0\r\n\r\n",
            "1;\na\r\n0\r\n\r\n",
            "1\u0000\r\na\r\n0\r\n\r\n",
            "1 ;x\r\na\r\n0\r\n\r\n",
            "100000000000000000\r\na\r\n0\r\n\r\n",
            "ffffffffffffffff\r\na\r\n0\r\n\r\n",
            "-1\r\na\r\n0\r\n\r\n",
            "g\r\na\r\n0\r\n\r\n",
            "\r\n",
            "1\ra\r\n0\r\n\r\n",
            "1_0\r\na\r\n0\r\n\r\n");

    /** First lines, and hosts, that are read in several ways. */
    private static final List<String> HEADS = List.of(
            "GET  / HTTP/1.1\r\nHost: %s",
            "GET / HTTP/1.1 \r\nHost: %s",
            "GET /\tHTTP/1.1\r\nHost: %s",
            "GET\t/ HTTP/1.1\r\nHost: %s",
            " GET / HTTP/1.1\r\nHost: %s",
            "\r\n\r\nGET / HTTP/1.1\r\nHost: %s",
            "\nGET / HTTP/1.1\r\nHost: %s",
            "GET / HTTP/1.1\nHost: %s\n",
            "GET / HTTP/1.1\rHost: %s\r",
            "GET / HTTP/1.0\r\nHost: %s\r\nTransfer-Encoding: chunked",
            "GET / HTTP/1.0\r\nHost: %s\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked",
            "GET / HTTP/1.2\r\nHost: %s",
            "GET / HTTP/2.0\r\nHost: %s",
            "GET / HTTP/0.9\r\nHost: %s",
            "GET /\r\nHost: %s",
            "GET / http/1.1\r\nHost: %s",
            "GET / HTTP/1.1 HTTP/1.1\r\nHost: %s",
            "GET /%%00 HTTP/1.1\r\nHost: %s",
            "GET /\u0000 HTTP/1.1\r\nHost: %s",
            "GET /\u0001/hidden HTTP/1.1\r\nHost: %s",
            "GET / HTTP/1.1%%0d%%0a HTTP/1.1\r\nHost: %s",
            "GET /%%0d%%0aX-Hidden:1 HTTP/1.1\r\nHost: %s",
            "GET http://victim/hidden HTTP/1.1\r\nHost: %s",
            "GET //victim/hidden HTTP/1.1\r\nHost: %s",
            "GET @victim/hidden HTTP/1.1\r\nHost: %s",
            "GET * HTTP/1.1\r\nHost: %s",
            "CONNECT victim:80 HTTP/1.1\r\nHost: %s",
            "TRACE / HTTP/1.1\r\nHost: %s",
            "G\u0000ET / HTTP/1.1\r\nHost: %s",
            "GET,POST / HTTP/1.1\r\nHost: %s",
            "get / HTTP/1.1\r\nHost: %s",
            "PRI * HTTP/2.0\r\nHost: %s",
            "GET / HTTP/1.1\r\nHost: %s\r\nHost: victim",
            "GET / HTTP/1.1\r\nHost: victim\r\nHost: %s",
            "GET / HTTP/1.1\r\nHost : %s",
            "GET / HTTP/1.1\r\n Host: %s",
            "GET / HTTP/1.1\r\nX: y\r\n Host: victim\r\nHost: %s",
            "GET / HTTP/1.1\r\nHost: %s, victim",
            "GET / HTTP/1.1\r\nHost: %s victim",
            "GET / HTTP/1.1\r\nHost: victim@%s",
            "GET / HTTP/1.1\r\nHost: %s/../victim",
            "GET / HTTP/1.1\r\nHost: %s\r\nX-Forwarded-Host: victim",
            "GET / HTTP/1.1\r\nHost: %s\r\nUpgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABk",
            "GET / HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nContent-Length: 0",
            "GET / HTTP/1.1\r\nHost: %s\r\nExpect: 100-continue",
            "GET / HTTP/1.1\r\nHost: %s\r\nExpect: x",
            "GET / HTTP/1.1\r\nHost: %s\r\nX: y\r\n\u0000: z",
            "GET / HTTP/1.1\r\nHost: %s\r\n: z",
            "GET / HTTP/1.1\r\nHost: %s\r\nno colon here",
            "GET / HTTP/1.1\r\nHost: %s\r\nX\r\n: y");

    private SmugglingCorpus() {}

    /** All of it by what is odd about each. */
    static Map<String, byte[]> of(String host) {
        Map<String, String> all = new LinkedHashMap<>();
        for (String coding : CODINGS) {
            put(all, "length before " + coding, post(host, "Content-Length: %d\r\n" + coding, "0\r\n\r\n" + HIDDEN));
            put(all, "length behind " + coding, post(host, coding + "\r\nContent-Length: %d", "0\r\n\r\n" + HIDDEN));
            put(all, "short length and " + coding, post(host, "Content-Length: 4\r\n" + coding, chunk() + HIDDEN));
            put(all, "alone " + coding, post(host, coding, "0\r\n\r\n" + HIDDEN));
        }
        for (String length : LENGTHS) {
            put(all, "all of " + length, post(host, length, HIDDEN));
            put(all, "GET with " + length, post(host, length, HIDDEN).replaceFirst("POST", "GET"));
            put(all, length + " and chunked", post(host, length + "\r\nTransfer-Encoding: chunked", chunk() + HIDDEN));
        }
        for (String chunks : CHUNKS) {
            put(all, "chunks " + chunks, post(host, "Transfer-Encoding: chunked", chunks + HIDDEN));
        }
        for (String head : HEADS) {
            put(all, "head " + head, head.formatted(host) + "\r\n\r\n");
            put(
                    all,
                    "head and body " + head,
                    head.formatted(host) + "\r\nContent-Length: " + HIDDEN.length() + "\r\n\r\n" + HIDDEN);
        }
        Map<String, byte[]> bytes = new LinkedHashMap<>();
        all.forEach((name, text) -> bytes.put(name, text.getBytes(StandardCharsets.ISO_8859_1)));
        return bytes;
    }

    private static void put(Map<String, String> all, String name, String text) {
        all.put(name.replace("\r", "\\r").replace("\n", "\\n").replace("\u0000", "\\0"), text);
    }

    private static String chunk() {
        return Integer.toHexString(HIDDEN.length()) + "\r\n" + HIDDEN + "\r\n0\r\n\r\n";
    }

    private static String post(String host, String length, String body) {
        List<Object> numbers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            numbers.add(body.length());
        }
        return "POST / HTTP/1.1\r\nHost: " + host + "\r\n" + length.formatted(numbers.toArray()) + "\r\n\r\n" + body;
    }
}
