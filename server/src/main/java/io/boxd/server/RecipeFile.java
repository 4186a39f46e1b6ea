package io.boxd.server;

import io.boxd.common.Amounts;
import io.boxd.guest.image.ImageCatalog;
import io.boxd.guest.image.ImageRecipe;
import io.boxd.verbs.Harmless;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.tomlj.Toml;
import org.tomlj.TomlArray;
import org.tomlj.TomlParseError;
import org.tomlj.TomlParseResult;
import org.tomlj.TomlPosition;

/** A recipe of an image as somebody wrote it: another image, and what comes on top. */
final class RecipeFile {
    private static final Pattern PACKAGE = Pattern.compile("[a-z0-9][a-z0-9+.-]{1,99}");
    private static final int MOST_PACKAGES = 500;
    private static final int LONGEST_SHOWN = 80;
    private static final long LEAST_ROOM_BYTES = 64L << 20;
    private static final long MOST_ROOM_BYTES = 64L << 30;

    private final Problems problems =
            new Problems("the recipe", "docs/images.md says what a recipe has: from, packages, room.");
    private final TomlParseResult toml;

    private RecipeFile(String text) {
        this.toml = Toml.parse(text);
    }

    /** The recipe of an image of this name; all that is wrong with it is told at once. */
    static ImageRecipe parse(String name, String text, ImageCatalog catalog) {
        return new RecipeFile(text).build(name, catalog);
    }

    private ImageRecipe build(String name, ImageCatalog catalog) {
        for (TomlParseError error : toml.errors()) {
            problems.add(at(error.position()), String.valueOf(error.getMessage()));
        }
        String from = "base";
        List<String> packages = List.of();
        Optional<Long> room = Optional.empty();
        for (List<String> path : toml.keyPathSet()) {
            String key = String.join(".", path);
            Object value = Objects.requireNonNull(toml.get(path));
            String where = at(toml.inputPositionOf(path));
            switch (key) {
                case "from" -> from = String.valueOf(value);
                case "packages" -> packages = packages(where, value);
                case "room" -> room = room(where, String.valueOf(value));
                default -> problems.add(where, "a recipe has no '" + Harmless.cut(key, LONGEST_SHOWN) + "'");
            }
        }
        problems.throwIfAny();
        ImageRecipe base = catalog.recipe(from);
        if (base.kind() == ImageRecipe.Kind.TINY && !packages.isEmpty()) {
            problems.add("from", "the image '" + from + "' has no packages; take another");
        }
        problems.throwIfAny();
        ImageRecipe recipe = base.extended(name, packages);
        return room.map(recipe::withSpareBytes).orElse(recipe);
    }

    private List<String> packages(String where, Object value) {
        List<String> packages = new ArrayList<>();
        if (!(value instanceof TomlArray array) || array.size() > MOST_PACKAGES) {
            problems.add(where, "packages is a list of at most " + MOST_PACKAGES + " names");
            return packages;
        }
        for (int i = 0; i < array.size(); i++) {
            String name = String.valueOf(array.get(i));
            if (PACKAGE.matcher(name).matches()) {
                packages.add(name);
            } else {
                problems.add(where, "'" + Harmless.cut(name, LONGEST_SHOWN) + "' is not the name of a package");
            }
        }
        return packages;
    }

    private Optional<Long> room(String where, String text) {
        Optional<Long> bytes =
                Amounts.bytes(text).filter(given -> given >= LEAST_ROOM_BYTES && given <= MOST_ROOM_BYTES);
        if (bytes.isEmpty()) {
            problems.add(where, "room is the free space on the disk, 64M to 64G");
        }
        return bytes;
    }

    private static String at(@Nullable TomlPosition position) {
        return position == null ? "the recipe" : "line " + position.line();
    }
}
