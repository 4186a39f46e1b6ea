package io.boxd.vmm;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.guest.image.Image;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Every word of QEMU's command lines: a saved state can only be loaded by the very same machine. */
@Tag("unit")
class QemuCommandTest {
    private static final QemuBundle OLD = new QemuBundle("old", Path.of("/q/old"), 7, 2);
    private static final QemuBundle NEW = new QemuBundle("new", Path.of("/q/new"), 8, 2);
    private static final MachineSize SIZE = new MachineSize(2, 1024 * MachineSize.MIB, 4096 * MachineSize.MIB);
    private static final Image IMAGE = new Image(
            "tiny",
            "k",
            Path.of("/i/kernel"),
            Path.of("/i/initrd"),
            Path.of("/i/disk"),
            1,
            List.of("console=ttyS0", "quiet"),
            List.of(),
            "root",
            new Image.Hashes("", "", ""));

    private static final String MACHINE = """
            -nodefaults -no-user-config -display none -no-reboot
            -sandbox on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny
            -machine microvm,x-option-roms=off,rtc=on,isa-serial=on,memory-backend=ram,suppress-vmdesc=on
            -accel %s
            -cpu %s
            -smp 2 -m 1024M
            -object memory-backend-file,id=ram,size=1073741824,mem-path=/base/memory,%s
            -add-fd fd=8,set=1
            -chardev socket,id=qmp,fd=3,server=on,wait=off -mon chardev=qmp,mode=control
            -chardev ringbuf,id=stay,size=4096 -mon chardev=stay,mode=control
            -chardev socket,id=console,fd=5,server=on,wait=off -serial chardev:console
            -object rng-builtin,id=rng -device virtio-rng-device,rng=rng
            -blockdev DISK -device virtio-blk-device,id=disk,drive=top-t
            -chardev socket,id=agent,fd=4,server=on,wait=off
            -device virtio-serial-device,max_ports=2
            -device virtserialport,chardev=agent,name=org.boxd.agent
            -netdev tap,id=net,vhost=off,fd=6
            -device virtio-net-device,netdev=net,mac=02:00:0a:00:02:0f
            """;

    private static final String TCG = "tcg,thread=multi,tb-size=32";
    private static final String KVM = "kvm";
    private static final String TCG_CPU = "max,-vmx,-svm";
    private static final String KVM_CPU = "host,-vmx,-svm,migratable=on";

    @Test
    void huskInEmulation() {
        assertThat(words(command(Accelerator.TCG, OLD).husk()))
                .isEqualTo(expected(MACHINE.formatted(TCG, TCG_CPU, "share=off,reserve=off")
                        + "-S -incoming defer -global migration.send-configuration=off"));
    }

    @Test
    void huskOnHardwareWithANewQemu() {
        assertThat(words(command(Accelerator.KVM, NEW).husk()))
                .isEqualTo(expected(MACHINE.formatted(KVM, KVM_CPU, "share=off,reserve=off,readonly=on,rom=off")
                        + "-S -incoming defer -global migration.send-configuration=off"));
    }

    @Test
    void coldBootInEmulation() {
        assertThat(words(command(Accelerator.TCG, OLD).coldBoot("quiet", false)))
                .isEqualTo(expected(MACHINE.formatted(TCG, TCG_CPU, "share=off,reserve=off")
                        + "-kernel /image/kernel -initrd /image/initrd -append quiet"));
    }

    @Test
    void coldBootOnHardware() {
        assertThat(words(command(Accelerator.KVM, OLD).coldBoot("quiet", false)))
                .isEqualTo(expected(MACHINE.formatted(KVM, KVM_CPU, "share=off,reserve=off")
                        + "-kernel /image/kernel -initrd /image/initrd -append quiet"));
    }

    /** Only here is memory shared, and never read-only: the file is what is being made. */
    @Test
    void makingABase() {
        for (QemuBundle bundle : List.of(OLD, NEW)) {
            assertThat(words(command(Accelerator.TCG, bundle).coldBoot("quiet", true)))
                    .isEqualTo(expected(MACHINE.formatted(TCG, TCG_CPU, "share=on")
                            + "-kernel /image/kernel -initrd /image/initrd -append quiet"));
        }
    }

    @Test
    void memoryIsOpenedReadOnlyFromTheVersionThatCan() {
        for (int[] version : new int[][] {{7, 2}, {8, 0}, {8, 1}}) {
            QemuBundle bundle = new QemuBundle("x", Path.of("/q"), version[0], version[1]);
            assertThat(words(command(Accelerator.TCG, bundle).husk())).doesNotContain("readonly");
        }
        for (int[] version : new int[][] {{8, 2}, {9, 0}, {10, 1}}) {
            QemuBundle bundle = new QemuBundle("x", Path.of("/q"), version[0], version[1]);
            assertThat(words(command(Accelerator.TCG, bundle).husk())).contains(",readonly=on,rom=off");
        }
    }

    /** Properties that no change of the exact lines above may lose. */
    @Test
    void whatNoCommandMayContain() {
        for (Accelerator accelerator : Accelerator.values()) {
            for (QemuBundle bundle : List.of(OLD, NEW)) {
                QemuCommand command = command(accelerator, bundle);
                List<String> husk = command.husk();
                List<String> boot = command.coldBoot("quiet", false);
                List<String> base = command.coldBoot("quiet", true);
                assertThat(husk).contains("-S", "-incoming").doesNotContain("-kernel", "-initrd", "-append");
                assertThat(boot).doesNotContain("-S", "-incoming");
                for (List<String> line : List.of(husk, boot, base)) {
                    assertThat(line).contains("-no-reboot", "-nodefaults", "-no-user-config");
                    assertThat(words(line))
                            .doesNotContain("balloon")
                            .doesNotContain("virtio-mem")
                            .doesNotContain("vhost-user")
                            .doesNotContain("vhost=on")
                            .doesNotContain("file:")
                            .doesNotContain("exec:");
                }
                assertThat(words(husk) + words(boot)).doesNotContain("share=on");
                assertThat(devices(husk)).isEqualTo(devices(boot)).isEqualTo(devices(base));
            }
        }
    }

    @Test
    void kernelArgumentsFollowTheAccelerator() {
        assertThat(new Host(Accelerator.TCG, OLD, 2_394_374, "x").kernelArguments(IMAGE))
                .isEqualTo("console=ttyS0 quiet tsc=reliable tsc_early_khz=2394374");
        assertThat(new Host(Accelerator.KVM, OLD, 2_394_374, "x").kernelArguments(IMAGE))
                .isEqualTo("console=ttyS0 quiet clocksource=kvm-clock")
                .doesNotContain("tsc");
    }

    private static QemuCommand command(Accelerator accelerator, QemuBundle bundle) {
        TopLayer top = new TopLayer("t", Path.of("/c/disk/top-t.qcow2"));
        return new QemuCommand(SIZE, accelerator, bundle, DiskNodes.top(top, DiskNodes.nothing()));
    }

    /** The disk is described elsewhere, and tested there. */
    private static String words(List<String> command) {
        List<String> words = new ArrayList<>(command);
        int disk = words.indexOf("-blockdev") + 1;
        assertThat(words.get(disk)).startsWith("{\"driver\":\"qcow2\",\"node-name\":\"top-t\"");
        words.set(disk, "DISK");
        return String.join(" ", words);
    }

    private static String expected(String lines) {
        return lines.replace("\n", " ").strip();
    }

    private static List<String> devices(List<String> command) {
        List<String> devices = new ArrayList<>();
        for (int i = 0; i < command.size() - 1; i++) {
            if (command.get(i).equals("-device") || command.get(i).equals("-machine")) {
                devices.add(command.get(i + 1));
            }
        }
        return devices;
    }
}
