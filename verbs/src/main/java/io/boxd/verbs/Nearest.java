package io.boxd.verbs;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Finds what someone may have meant. */
public final class Nearest {
    private static final int LONGEST = 40;

    private record Candidate(String word, int distance) {}

    private Nearest() {}

    /** The word that is fewest changes away, if that is few enough to be a slip. */
    public static Optional<String> to(String typed, Collection<String> words) {
        if (typed.length() > LONGEST) {
            return Optional.empty();
        }
        int most = Math.max(1, typed.length() / 3);
        return words.stream()
                .map(word -> new Candidate(word, distance(typed, word)))
                .filter(candidate -> candidate.distance() <= most)
                .min(Comparator.comparingInt(Candidate::distance).thenComparing(Candidate::word))
                .map(Candidate::word);
    }

    /** Insertions, deletions, replacements and swaps of neighbours. */
    static int distance(String one, String other) {
        int[][] steps = new int[one.length() + 1][other.length() + 1];
        for (int i = 0; i <= one.length(); i++) {
            for (int j = 0; j <= other.length(); j++) {
                steps[i][j] = i == 0 || j == 0 ? i + j : step(steps, one, other, i, j);
            }
        }
        return steps[one.length()][other.length()];
    }

    private static int step(int[][] steps, String one, String other, int i, int j) {
        int replaced = steps[i - 1][j - 1] + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
        int least = Math.min(replaced, 1 + Math.min(steps[i - 1][j], steps[i][j - 1]));
        boolean swapped =
                i > 1 && j > 1 && one.charAt(i - 1) == other.charAt(j - 2) && one.charAt(i - 2) == other.charAt(j - 1);
        return swapped ? Math.min(least, steps[i - 2][j - 2] + 1) : least;
    }
}
