package io.boxd.bench;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** What it costs to start a process, Java, and the command; and the commands that are the server's own. */
final class StartFigures {
    private final Instance instance;
    private final Path tree;
    private final Report report;
    private final int rounds;

    StartFigures(Instance instance, Path tree, Report report, int rounds) {
        this.instance = instance;
        this.tree = tree;
        this.report = report;
        this.rounds = rounds;
    }

    void measure() {
        System.err.println("process start, up again, doctor");
        Samples process = new Samples();
        Samples java = new Samples();
        Samples launch = new Samples();
        Samples command = new Samples();
        Samples up = new Samples();
        Samples doctor = new Samples();
        for (int i = 0; i < rounds; i++) {
            process.add(instance.run(List.of("/bin/true")).took());
            java.add(instance.run(program("runtime/bin/java", "-version")).took());
            launch.add(instance.run(program("launch", "version")).took());
            command.add(instance.boxd("version").took());
            up.add(instance.boxd("up").took());
            doctor.add(instance.boxd("doctor").took());
        }
        report.median("true_ms", process, "/bin/true, for comparison: a process and nothing else");
        report.median("java_ms", java, "java -version, for comparison");
        report.median("launch_ms", launch, "boxd version without the script that builds the tree");
        report.median("version_ms", command, "./boxd version: the command without a server");
        report.median("up_again_ms", up, "≤ 3000", "up while the server runs");
        others();
        report.median("doctor_ms", doctor, "everything that a host must have");
    }

    /** What people compare with: tools of one file that start at once, and ask nobody anything. */
    private void others() {
        for (String tool : List.of("docker", "gh", "podman", "kubectl")) {
            if (onPath(tool)) {
                Samples samples = new Samples();
                for (int i = 0; i < rounds; i++) {
                    samples.add(instance.run(List.of(tool, "--version")).took());
                }
                report.median(tool + "_version_ms", samples, tool + " --version, for comparison");
            }
        }
    }

    private static boolean onPath(String tool) {
        return Stream.of(System.getenv("PATH").split(":", -1))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, tool)));
    }

    private List<String> program(String name, String word) {
        return List.of(tree.resolve("target/program").resolve(name).toString(), word);
    }
}
