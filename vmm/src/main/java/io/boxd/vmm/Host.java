package io.boxd.vmm;

import io.boxd.guest.image.Image;

/**
 * What machines run on: the accelerator that works here, the QEMU, and the processor's clock.
 *
 * @param tscKilohertz rate of the time stamp counter, which an emulated guest reads directly
 * @param cpuName the processor's model, as the kernel tells it
 */
public record Host(Accelerator accelerator, QemuBundle bundle, long tscKilohertz, String cpuName) {
    /** Rounded, for keys: each measurement differs a little. */
    long tscMegahertz() {
        return Math.round(tscKilohertz / 1000.0);
    }

    /** The guest kernel's command line; nothing in it comes from a tenant. */
    public String kernelArguments(Image image) {
        return String.join(" ", image.kernelArguments()) + " " + clockArguments();
    }

    private String clockArguments() {
        return switch (accelerator) {
            case KVM -> "clocksource=kvm-clock";
            // Emulated processors look unsynchronised to the guest, which would fall back to a clock
            // that loses a fifth under load; and it has no reference timer to measure the rate with.
            case TCG -> "tsc=reliable tsc_early_khz=" + tscKilohertz;
        };
    }
}
