package io.boxd.guest.image;

import java.io.IOException;
import java.net.JarURLConnection;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The recipe files, read once from the class path whether that is a folder or a jar. */
final class Recipes {
    private static final String ROOT = "/boxd/images";

    private final SortedMap<String, byte[]> files;

    private Recipes(SortedMap<String, byte[]> files) {
        this.files = files;
    }

    static Recipes load() throws IOException {
        return load(Objects.requireNonNull(Recipes.class.getResource(ROOT), "image recipes are not on the class path"));
    }

    static Recipes load(URL url) throws IOException {
        try {
            if (!(url.openConnection() instanceof JarURLConnection jar)) {
                return new Recipes(read(Path.of(url.toURI())));
            }
            // Opened by path, since by address only one at a time may be open in a process.
            try (FileSystem inside =
                    FileSystems.newFileSystem(Path.of(jar.getJarFileURL().toURI()))) {
                return new Recipes(read(inside.getPath(ROOT)));
            }
        } catch (URISyntaxException e) {
            throw new IOException("unreadable class path entry " + url, e);
        }
    }

    private static SortedMap<String, byte[]> read(Path root) throws IOException {
        SortedMap<String, byte[]> files = new TreeMap<>();
        try (Stream<Path> paths = Files.walk(root)) {
            for (Path path : (Iterable<Path>) paths.filter(Files::isRegularFile)::iterator) {
                files.put(root.relativize(path).toString(), Files.readAllBytes(path));
            }
        }
        return files;
    }

    /** The files below a folder, by their path relative to it. */
    SortedMap<String, byte[]> under(String folder) {
        SortedMap<String, byte[]> found = new TreeMap<>();
        String prefix = folder + "/";
        files.tailMap(prefix).forEach((path, bytes) -> {
            if (path.startsWith(prefix)) {
                found.put(path.substring(prefix.length()), bytes);
            }
        });
        return found;
    }

    /** The words of a list file: one a line, comments and blank lines left out. */
    List<String> list(String path) {
        byte[] bytes = Objects.requireNonNull(files.get(path), path);
        List<String> words = new ArrayList<>();
        for (String line : new String(bytes, StandardCharsets.UTF_8).split("\n", -1)) {
            String word = line.replaceFirst("#.*", "").strip();
            if (!word.isEmpty()) {
                words.add(word);
            }
        }
        return words;
    }

    /** Writes the files below a folder to disk, for the programs that need them there. */
    void unpack(String folder, Path target) throws IOException {
        for (Map.Entry<String, byte[]> file : under(folder).entrySet()) {
            Path path = target.resolve(file.getKey());
            Files.createDirectories(Objects.requireNonNull(path.getParent()));
            Files.write(path, file.getValue());
        }
    }
}
