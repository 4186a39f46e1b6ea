package io.boxd.vmm;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.common.Json;
import io.boxd.guest.image.Image;
import io.boxd.linux.FileTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The files of one base. */
record BaseFolder(Path path) {
    static final String MEMORY = "memory";
    static final String STATE = "state";
    static final String DISK = "disk.qcow2";
    static final String IMAGE_DISK = "image.raw";
    static final String KERNEL = "kernel";
    static final String INITRD = "initrd";
    static final String INHERITED = "inherited";
    static final String FACTS = "facts.json";

    Path memory() {
        return path.resolve(MEMORY);
    }

    Path state() {
        return path.resolve(STATE);
    }

    Path disk() {
        return path.resolve(DISK);
    }

    Path imageDisk() {
        return path.resolve(IMAGE_DISK);
    }

    Path inherited() {
        return path.resolve(INHERITED);
    }

    Path file(Part part) {
        return path.resolve(part.name());
    }

    BaseFacts facts() {
        try {
            return Json.read(Files.readString(path.resolve(FACTS)), BaseFacts.class);
        } catch (IOException e) {
            throw new BoxdException(
                    ErrorCode.WRONG_STATE, "the base " + path.getFileName() + " is not there any more", e);
        }
    }

    void describe(BaseFacts facts) throws IOException {
        Files.writeString(path.resolve(FACTS), Json.writePretty(facts));
    }

    /** Keeps the files of an image, whatever becomes of them in the cache. */
    void linkImage(Image image) throws IOException {
        FileTree.linkFile(image.kernel(), path.resolve(KERNEL));
        FileTree.linkFile(image.initrd(), path.resolve(INITRD));
        FileTree.linkFile(image.disk(), imageDisk());
    }

    /** The base of an image that lies in this folder. */
    Base rootBase(BaseFacts facts, QemuBundle bundle) {
        return new Base(
                facts.id(),
                image(facts.image()),
                memory(),
                facts.blank() ? Optional.empty() : Optional.of(state()),
                facts.size(),
                facts.accelerator(),
                bundle,
                layers(facts),
                Optional.empty());
    }

    private Image image(BaseFacts.ImageFacts facts) {
        return new Image(
                facts.name(),
                facts.key(),
                path.resolve(KERNEL),
                path.resolve(INITRD),
                imageDisk(),
                facts.diskBytes(),
                facts.kernelArguments(),
                facts.settleCommand(),
                facts.defaultUser(),
                facts.hashes());
    }

    private List<Layer> layers(BaseFacts facts) {
        List<Layer> layers = new ArrayList<>();
        layers.add(new Layer(imageLayerId(facts.image().key()), imageDisk(), Layer.Format.RAW));
        if (!facts.blank()) {
            layers.add(new Layer(facts.diskLayer(), disk(), Layer.Format.QCOW2));
        }
        return layers;
    }

    static String imageLayerId(String imageKey) {
        return imageKey.substring(0, 16);
    }

    /** The parts that an image brings, with the hashes it was built with. */
    static List<Part> imageParts(Image image) {
        try {
            return List.of(
                    new Part(KERNEL, Files.size(image.kernel()), image.hashes().kernel(), false),
                    new Part(INITRD, Files.size(image.initrd()), image.hashes().initrd(), false),
                    new Part(
                            IMAGE_DISK, Files.size(image.disk()), image.hashes().disk(), false));
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.UNAVAILABLE, "image " + image.name() + " is not there any more", e);
        }
    }
}
