package io.boxd.guest.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class CpioTest {
    @Test
    void entriesAreSortedAlignedAndHaveTheirParents() throws IOException {
        byte[] bytes = archive(new Cpio()
                .link("usr/bin/env", "/bin/busybox")
                .file("init", 0755, "#!".getBytes(StandardCharsets.UTF_8))
                .folder("tmp", 01777, 0));

        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        assertThat(bytes.length % 4).isZero();
        assertThat(text.split("070701", -1)).hasSize(7);
        assertThat(text.indexOf("init\0")).isLessThan(text.indexOf("tmp\0"));
        assertThat(text.indexOf("usr\0")).isPositive().isLessThan(text.indexOf("usr/bin\0"));
        assertThat(text).contains("usr/bin/env\0").contains("/bin/busybox").contains("TRAILER!!!\0");
        assertThat(text).contains(String.format("%08x", 0100755)).contains(String.format("%08x", 041777));
    }

    @Test
    void equalContentsGiveEqualBytes() throws IOException {
        byte[] one = archive(new Cpio().file("a", 0644, new byte[3]).file("b", 0644, new byte[5]));
        byte[] other = archive(new Cpio().file("b", 0644, new byte[5]).file("a", 0644, new byte[3]));
        assertThat(one).isEqualTo(other);
    }

    @Test
    void anExplicitFolderKeepsItsModeWhateverComesBelowIt() throws IOException {
        byte[] bytes = archive(new Cpio().folder("tmp", 01777, 0).file("tmp/x", 0644, new byte[0]));
        assertThat(new String(bytes, StandardCharsets.ISO_8859_1)).contains(String.format("%08x", 041777));
    }

    private static byte[] archive(Cpio cpio) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        cpio.writeTo(out);
        return out.toByteArray();
    }
}
