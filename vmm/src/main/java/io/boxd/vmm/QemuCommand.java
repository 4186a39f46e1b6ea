package io.boxd.vmm;

import io.boxd.common.Json;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.node.ObjectNode;

/**
 * QEMU's command line for one machine: the same devices in the same order whatever it is to do, since
 * the state of a machine can only be loaded into an identical one.
 *
 * <p>Deliberately few devices (block, network, serial, random) and none that discards memory: on a
 * private mapping that would punch holes into the base of every other machine.
 */
record QemuCommand(MachineSize size, Accelerator accelerator, QemuBundle bundle, ObjectNode disk) {
    /** Raise when the devices, their order or their options change: saved states are tied to it. */
    static final int DEVICES_VERSION = 1;

    private static final String SAVED_SET = "1";

    /** Where device state is saved to, in QEMU's words. */
    static final String SAVED_FILE = "/dev/fdset/" + SAVED_SET;

    /** Where device state is loaded from, in QEMU's words. */
    static final String INCOMING = "fd:" + Jail.INCOMING_FD;

    /** A machine that starts from its disk, with a kernel from the image. */
    List<String> coldBoot(String kernelArguments, boolean makesBase) {
        List<String> command = common(makesBase);
        command.addAll(List.of("-kernel", Jail.IMAGE + "/kernel", "-initrd", Jail.IMAGE + "/initrd"));
        command.addAll(List.of("-append", kernelArguments));
        return command;
    }

    /**
     * A machine that waits for the state of another.
     *
     * <p>Without {@code -incoming} the machine's reset would write firmware over the restored memory.
     * A saved state has no configuration section, so none may be expected.
     */
    List<String> husk() {
        List<String> command = common(false);
        command.addAll(List.of("-S", "-incoming", "defer", "-global", "migration.send-configuration=off"));
        return command;
    }

    private List<String> common(boolean makesBase) {
        List<String> command = new ArrayList<>();
        command.addAll(List.of("-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"));
        command.addAll(List.of("-sandbox", "on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny"));
        command.addAll(List.of(
                "-machine", "microvm,x-option-roms=off,rtc=on,isa-serial=on,memory-backend=ram,suppress-vmdesc=on"));
        command.addAll(List.of("-accel", accelerator.option(), "-cpu", accelerator.cpuModel()));
        command.addAll(List.of("-smp", Integer.toString(size.cpus())));
        command.addAll(List.of("-m", size.memoryBytes() / MachineSize.MIB + "M"));
        command.addAll(List.of("-object", memory(makesBase)));
        command.addAll(List.of("-add-fd", "fd=" + Jail.SAVED_FD + ",set=" + SAVED_SET));
        command.addAll(List.of("-chardev", socket("qmp", Jail.QMP_FD), "-mon", "chardev=qmp,mode=control"));
        // When its last monitor leaves, QEMU closes the descriptors it was given; this one never leaves, so
        // that a machine can be saved by a server that has come later.
        command.addAll(List.of("-chardev", "ringbuf,id=stay,size=4096", "-mon", "chardev=stay,mode=control"));
        command.addAll(List.of("-chardev", socket("console", Jail.CONSOLE_FD), "-serial", "chardev:console"));
        command.addAll(List.of("-object", "rng-builtin,id=rng", "-device", "virtio-rng-device,rng=rng"));
        command.addAll(List.of("-blockdev", Json.write(disk)));
        command.addAll(List.of(
                "-device",
                "virtio-blk-device,id=disk,drive=" + disk.path("node-name").asString()));
        command.addAll(List.of("-chardev", socket("agent", Jail.AGENT_FD)));
        command.addAll(List.of("-device", "virtio-serial-device,max_ports=2"));
        command.addAll(List.of("-device", "virtserialport,chardev=agent,name=org.boxd.agent"));
        command.addAll(List.of("-netdev", "tap,id=net,vhost=off,fd=" + Jail.TAP_FD));
        // One fixed address in every machine: it is part of the device state, and each has its own wire.
        command.addAll(List.of("-device", "virtio-net-device,netdev=net,mac=02:00:0a:00:02:0f"));
        return command;
    }

    private String memory(boolean makesBase) {
        String common = "memory-backend-file,id=ram,size=" + size.memoryBytes() + ",mem-path=" + Jail.MEMORY;
        if (makesBase) {
            return common + ",share=on";
        }
        // Nominal memory may exceed the host's: only what is touched counts.
        return common + ",share=off,reserve=off" + (bundle.opensMemoryReadOnly() ? ",readonly=on,rom=off" : "");
    }

    private static String socket(String id, int fd) {
        return "socket,id=" + id + ",fd=" + fd + ",server=on,wait=off";
    }
}
