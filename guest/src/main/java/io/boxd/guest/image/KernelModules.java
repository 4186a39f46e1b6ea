package io.boxd.guest.image;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Finds kernel modules and the order in which they can be loaded.
 *
 * <p>Dependencies are read from the modules themselves (their {@code .modinfo} section), so that an unpacked kernel
 * package suffices: the index that depmod makes is not in it.
 */
final class KernelModules {
    private final Map<String, Path> files;
    private final Set<String> builtIn;
    private final Path scratch;

    private KernelModules(Map<String, Path> files, Set<String> builtIn, Path scratch) {
        this.files = files;
        this.builtIn = builtIn;
        this.scratch = scratch;
    }

    /** The modules below {@code lib/modules/RELEASE}; packed ones are expanded into the scratch folder. */
    static KernelModules in(Path release, Path scratch) throws IOException {
        Map<String, Path> files = new HashMap<>();
        try (Stream<Path> paths = Files.walk(release)) {
            paths.filter(path -> path.getFileName().toString().matches(".*\\.ko(\\.\\w+)?"))
                    .forEach(path -> files.put(nameOf(path.toString()), path));
        }
        Set<String> builtIn = new HashSet<>();
        Files.readAllLines(release.resolve("modules.builtin")).forEach(line -> builtIn.add(nameOf(line)));
        return new KernelModules(files, builtIn, scratch);
    }

    /** File names and contents of the wanted modules and all they need, each after what it depends on. */
    SequencedMap<String, byte[]> inLoadOrder(List<String> wanted, Deadline deadline) throws IOException {
        SequencedMap<String, byte[]> ordered = new LinkedHashMap<>();
        for (String name : wanted) {
            add(nameOf(name), ordered, deadline);
        }
        return ordered;
    }

    private void add(String name, SequencedMap<String, byte[]> ordered, Deadline deadline) throws IOException {
        String fileName = name + ".ko";
        if (builtIn.contains(name) || ordered.containsKey(fileName)) {
            return;
        }
        Path file = files.get(name);
        if (file == null) {
            throw new BoxdException(ErrorCode.INTERNAL, "the kernel has no module " + name);
        }
        byte[] module = read(file, deadline);
        for (String dependency : dependencies(module)) {
            add(nameOf(dependency), ordered, deadline);
        }
        ordered.put(fileName, module);
    }

    private byte[] read(Path file, Deadline deadline) throws IOException {
        String program = Compression.programFor(file.getFileName().toString());
        if (program.isEmpty()) {
            return Files.readAllBytes(file);
        }
        String packedName = file.getFileName().toString();
        Path packed = scratch.resolve(packedName);
        Files.copy(file, packed, StandardCopyOption.REPLACE_EXISTING);
        Compression.expand(program, packed, deadline);
        return Files.readAllBytes(scratch.resolve(packedName.substring(0, packedName.lastIndexOf('.'))));
    }

    /** Names of the modules that one depends on. */
    static List<String> dependencies(byte[] module) throws IOException {
        for (String entry : new String(section(module, ".modinfo"), StandardCharsets.UTF_8).split("\0", -1)) {
            if (entry.startsWith("depends=")) {
                return Arrays.stream(entry.substring("depends=".length()).split(",", -1))
                        .filter(name -> !name.isEmpty())
                        .toList();
            }
        }
        return List.of();
    }

    private static byte[] section(byte[] elf, String wanted) throws IOException {
        try {
            ByteBuffer file = ByteBuffer.wrap(elf).order(ByteOrder.LITTLE_ENDIAN);
            int headers = (int) file.getLong(40);
            int headerBytes = file.getShort(58);
            int names = (int) file.getLong(headers + file.getShort(62) * headerBytes + 24);
            for (int i = 0; i < file.getShort(60); i++) {
                int header = headers + i * headerBytes;
                int name = names + file.getInt(header);
                if (new String(elf, name, wanted.length() + 1, StandardCharsets.US_ASCII).equals(wanted + "\0")) {
                    int start = (int) file.getLong(header + 24);
                    return Arrays.copyOfRange(elf, start, start + (int) file.getLong(header + 32));
                }
            }
        } catch (IndexOutOfBoundsException e) {
            throw new IOException("not a kernel module", e);
        }
        throw new IOException("a kernel module without " + wanted);
    }

    /** Files are called virtio-rng.ko or virtio_rng.ko.xz, the module always virtio_rng. */
    private static String nameOf(String path) {
        String fileName = path.substring(path.lastIndexOf('/') + 1);
        int dot = fileName.indexOf(".ko");
        return (dot < 0 ? fileName : fileName.substring(0, dot)).replace('-', '_');
    }
}
