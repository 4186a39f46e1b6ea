package io.boxd.chronicle;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The files of a folder that go on one in the other: {@code NAME-00000001.log} and so on. */
record NumberedFiles(Path folder, String name) {
    Path file(int number) {
        return folder.resolve(name + "-" + "0".repeat(8 - digits(number)) + number + ".log");
    }

    private static int digits(int number) {
        return Integer.toString(number).length();
    }

    /** The numbers of those that are there, in order. */
    List<Integer> numbers() throws IOException {
        Pattern shape = Pattern.compile(Pattern.quote(name) + "-([0-9]{8})\\.log");
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.map(path -> shape.matcher(path.getFileName().toString()))
                    .filter(Matcher::matches)
                    .map(matcher -> Integer.valueOf(matcher.group(1)))
                    .sorted()
                    .toList();
        }
    }
}
