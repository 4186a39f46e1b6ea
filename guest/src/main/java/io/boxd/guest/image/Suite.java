package io.boxd.guest.image;

/** A distribution's release that images can be made from. */
public enum Suite {
    /** Debian's cloud kernel is small and has every module that containers and tunnels need. */
    DEBIAN_12("bookworm", "linux-image-6.12-cloud-amd64", "main", "debian-archive-keyring"),
    UBUNTU_24_04("noble", "linux-image-virtual", "main,universe", "ubuntu-keyring");

    private final String codename;
    private final String kernelPackage;
    private final String components;
    private final String keyringPackage;

    Suite(String codename, String kernelPackage, String components, String keyringPackage) {
        this.codename = codename;
        this.kernelPackage = kernelPackage;
        this.components = components;
        this.keyringPackage = keyringPackage;
    }

    public String codename() {
        return codename;
    }

    String kernelPackage() {
        return kernelPackage;
    }

    String components() {
        return components;
    }

    /** The package of the build host that has the keys this release is signed with. */
    String keyringPackage() {
        return keyringPackage;
    }
}
