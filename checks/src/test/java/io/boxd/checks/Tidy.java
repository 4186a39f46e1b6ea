package io.boxd.checks;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a tidy source file looks like. The patterns are spelt so that they do not match themselves. */
final class Tidy {
    static final int MOST_LINES = 500;
    static final int LONGEST_LINE = 120;

    /** Places whose work it is to print. */
    private static final List<String> PRINTERS =
            List.of("bench/src/main/", "server/src/main/java/io/boxd/server/Screen.java");

    private static final Set<String> SKIPPED_FOLDERS = Set.of("target", ".git", ".idea", ".vscode");
    private static final Set<String> TEXT_ENDINGS =
            Set.of("md", "xml", "toml", "json", "yaml", "yml", "txt", "properties", "config");

    /** A kind of file, by what it is written in. */
    enum Kind {
        JAVA,
        RUST,
        SHELL,
        TEXT,
        OTHER
    }

    /** Something that must not be in a file of one of the kinds. */
    private record Ban(Set<Kind> kinds, Pattern pattern, String why) {}

    private static final Set<Kind> CODE = Set.of(Kind.JAVA, Kind.RUST, Kind.SHELL);
    private static final Set<Kind> ALL = Set.of(Kind.JAVA, Kind.RUST, Kind.SHELL, Kind.TEXT);

    private static final Ban PRINTING =
            ban(Set.of(Kind.JAVA), "\\bSystem\\.(out|err)\\b", "print only where printing is the purpose");

    private static final List<Ban> BANS = List.of(
            PRINTING,
            ban(CODE, "\\b([T]ODO|[F]IXME|[X]XX)\\b", "finish it, or leave it out"),
            ban(Set.of(Kind.JAVA), "\\bThread\\.sleep\\b", "wait for the event, with a deadline"),
            ban(Set.of(Kind.JAVA), "\\bnew\\s+Thread\\s*\\(", "say Thread.ofVirtual or Thread.ofPlatform"),
            ban(Set.of(Kind.JAVA), "@[D]isabled\\b", "mend the test, or delete it"),
            ban(Set.of(Kind.RUST), "#\\s*\\[\\s*[i]gnore\\b", "mend the test, or delete it"),
            ban(
                    ALL,
                    "\\b(repo1?[.]maven[.]|central[.]sonatype[.]|crates[.]io\\b|registry[.]npmjs[.]|pypi[.]org\\b)",
                    "where packages come from is the builder's own setting"));

    private static final Pattern LINK = Pattern.compile("\\]\\(([^)#\\s]+)(#[^)]*)?\\)");

    private static final Pattern TEST =
            Pattern.compile("^ *@(Test|TestFactory|ParameterizedTest)\\b", Pattern.MULTILINE);
    private static final Pattern TAG = Pattern.compile("@Tag\\(\"(unit|host|image|machine|jail)\"\\)");

    private Tidy() {}

    private static Ban ban(Set<Kind> kinds, String pattern, String why) {
        return new Ban(kinds, Pattern.compile(pattern), why);
    }

    /** Every file of the tree except what builds leave behind. */
    static List<Path> files(Path root) throws IOException {
        List<Path> found = new ArrayList<>();
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                boolean skipped = SKIPPED_FOLDERS.contains(folder.getFileName().toString());
                return skipped ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (attributes.isRegularFile()) {
                    found.add(file);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return found;
    }

    static Kind kindOf(Path file) throws IOException {
        String name = file.getFileName().toString();
        String ending = name.substring(name.lastIndexOf('.') + 1);
        if (ending.equals("java")) {
            return Kind.JAVA;
        }
        if (ending.equals("rs")) {
            return Kind.RUST;
        }
        if (TEXT_ENDINGS.contains(ending)) {
            return Kind.TEXT;
        }
        return ending.equals("sh") || startsAsShell(file) ? Kind.SHELL : Kind.OTHER;
    }

    private static boolean startsAsShell(Path file) throws IOException {
        try (var stream = Files.newInputStream(file)) {
            String start = new String(stream.readNBytes(64), java.nio.charset.StandardCharsets.ISO_8859_1);
            return start.matches("(?s)#!\\S*[ /](env )?(ba|da)?sh\\b.*");
        }
    }

    /** What is wrong with the file, each with its line; {@code name} is relative to the root. */
    static List<String> problems(String name, Kind kind, String text) {
        List<String> problems = new ArrayList<>();
        List<String> lines = text.lines().toList();
        if (CODE.contains(kind) && lines.size() > MOST_LINES) {
            problems.add(name + ": " + lines.size() + " lines, more than " + MOST_LINES + ": it wants to be two files");
        }
        if (kind == Kind.JAVA && TEST.matcher(text).find() && !TAG.matcher(text).find()) {
            problems.add(name + ": tests without one of the tags that ./dev test runs");
        }
        boolean prints = PRINTERS.stream().anyMatch(name::startsWith);
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            String where = name + ":" + (i + 1) + ": ";
            int length = line.codePointCount(0, line.length());
            if (CODE.contains(kind) && length > LONGEST_LINE) {
                problems.add(where + length + " characters, more than " + LONGEST_LINE);
            }
            for (Ban ban : BANS) {
                boolean applies = ban.kinds().contains(kind) && !(prints && ban.equals(PRINTING));
                Matcher matcher = ban.pattern().matcher(line);
                if (applies && matcher.find()) {
                    problems.add(where + "\"" + matcher.group() + "\": " + ban.why());
                }
            }
        }
        return problems;
    }

    /** Links of a Markdown file that point to nothing in the tree. */
    static List<String> brokenLinks(Path file, String text) {
        List<String> broken = new ArrayList<>();
        Matcher matcher = LINK.matcher(text);
        while (matcher.find()) {
            String target = matcher.group(1);
            if (!target.contains(":") && !Files.exists(file.resolveSibling(target))) {
                broken.add(file + ": link to " + target);
            }
        }
        return broken;
    }
}
