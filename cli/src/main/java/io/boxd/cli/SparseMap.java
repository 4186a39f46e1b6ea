package io.boxd.cli;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Where the parts of a file with holes belong, as GNU's format 1.0 says it in front of them. */
record SparseMap(List<Part> parts) {
    private static final int MOST_PARTS = 1_000_000;
    private static final int LONGEST_NUMBER = 18;

    /** Bytes that are there. */
    record Part(long offset, long length) {}

    SparseMap {
        parts = List.copyOf(parts);
    }

    /** Reads the map and its padding from the content of the entry that the archive is at. */
    static SparseMap read(TarReader archive, long size) throws IOException {
        Numbers numbers = new Numbers(archive);
        long count = numbers.next();
        if (count > MOST_PARTS) {
            throw new IOException("the archive has a file with too many holes");
        }
        List<Part> parts = new ArrayList<>();
        long end = 0;
        for (long i = 0; i < count; i++) {
            Part part = new Part(numbers.next(), numbers.next());
            if (part.offset() < end || part.length() > size - part.offset()) {
                throw new IOException("the archive has a file whose parts do not fit");
            }
            end = part.offset() + part.length();
            parts.add(part);
        }
        numbers.skipPadding();
        return new SparseMap(parts);
    }

    /** Decimal numbers, each on a line. */
    private static final class Numbers {
        private final TarReader archive;
        private final byte[] one = new byte[1];
        private long read;

        Numbers(TarReader archive) {
            this.archive = archive;
        }

        long next() throws IOException {
            StringBuilder digits = new StringBuilder();
            for (char each = character(); each != '\n'; each = character()) {
                digits.append(each);
                if (digits.length() > LONGEST_NUMBER) {
                    throw new IOException("the archive has a malformed number");
                }
            }
            return TarReader.whole(digits.toString());
        }

        void skipPadding() throws IOException {
            while (TarEntry.padding(read) > 0) {
                character();
            }
        }

        private char character() throws IOException {
            if (archive.read(one, 0, 1) < 0) {
                throw new IOException("the archive breaks off");
            }
            read++;
            return (char) (one[0] & 0xFF);
        }
    }
}
