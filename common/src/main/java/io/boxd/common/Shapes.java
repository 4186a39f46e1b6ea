package io.boxd.common;

import java.util.regex.Pattern;

/** What names, labels and variables look like, the same wherever they are said or kept. */
public final class Shapes {
    public static final int LONGEST_NAME = 40;

    /** Regular expressions for descriptions that others read. */
    public static final String NAME_PATTERN = "[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?";

    public static final String LABEL_KEY_PATTERN = "[A-Za-z0-9]([A-Za-z0-9._/-]{0,61}[A-Za-z0-9])?";
    public static final String VARIABLE_PATTERN = "[A-Za-z_][A-Za-z0-9_]*";

    private static final Pattern NAME = Pattern.compile(NAME_PATTERN);
    private static final Pattern LIKE_A_PORT = Pattern.compile("[0-9]+(-.*)?");
    private static final Pattern LABEL_KEY = Pattern.compile(LABEL_KEY_PATTERN);
    private static final Pattern VARIABLE = Pattern.compile(VARIABLE_PATTERN);

    private Shapes() {}

    /** A DNS label in lower case, since names are host names and parts of URLs. */
    public static boolean isName(String text) {
        return NAME.matcher(text).matches();
    }

    /** Whether a name would be taken for a port, as in {@code 3000-app}. */
    public static boolean isLikeAPort(String name) {
        return LIKE_A_PORT.matcher(name).matches();
    }

    public static boolean isLabelKey(String text) {
        return LABEL_KEY.matcher(text).matches();
    }

    /** A name of the environment's variables. */
    public static boolean isVariable(String text) {
        return VARIABLE.matcher(text).matches();
    }
}
