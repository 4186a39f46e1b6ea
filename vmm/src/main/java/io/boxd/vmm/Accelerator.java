package io.boxd.vmm;

/** What executes the guest's instructions: the processor itself, or QEMU's translation. */
public enum Accelerator {
    /** Hardware virtualisation; used only after a real machine has booted with it on this host. */
    KVM("kvm", "host,-vmx,-svm,migratable=on"),
    /**
     * Software emulation; works everywhere, ten to twenty times slower, and by QEMU's own policy not
     * a security boundary. The small translation buffer keeps an idle machine small.
     */
    TCG("tcg,thread=multi,tb-size=32", "max,-vmx,-svm");

    private final String option;
    private final String cpuModel;

    Accelerator(String option, String cpuModel) {
        this.option = option;
        this.cpuModel = cpuModel;
    }

    /** The value of QEMU's {@code -accel}. */
    public String option() {
        return option;
    }

    /** The value of QEMU's {@code -cpu}. */
    public String cpuModel() {
        return cpuModel;
    }
}
