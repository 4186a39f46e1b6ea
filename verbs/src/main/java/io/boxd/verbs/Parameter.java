package io.boxd.verbs;

import static java.util.Locale.ROOT;

/**
 * Something that is said with a verb.
 *
 * @param name of the option without dashes, or of the word as the help shows it
 * @param field its name in JSON, in a query and in a route
 * @param letter a short form of the option, or a blank
 */
public record Parameter(
        String name, String field, char letter, Place place, ParameterType type, String value, String help) {
    /** Where it is said. */
    public enum Place {
        /** A word without which the verb makes no sense. */
        REQUIRED_WORD,
        /** A word that may be left out. */
        OPTIONAL_WORD,
        /** With dashes, before or after the words. */
        OPTION
    }

    private static final char NO_LETTER = ' ';

    static Parameter word(String name, ParameterType type, String help) {
        return new Parameter(name, name, NO_LETTER, Place.REQUIRED_WORD, type, name.toUpperCase(ROOT), help);
    }

    static Parameter optionalWord(String name, ParameterType type, String help) {
        return new Parameter(name, name, NO_LETTER, Place.OPTIONAL_WORD, type, name.toUpperCase(ROOT), help);
    }

    static Parameter option(String name, ParameterType type, String value, String help) {
        return new Parameter(name, name.replace('-', '_'), NO_LETTER, Place.OPTION, type, value, help);
    }

    static Parameter flag(String name, String help) {
        return option(name, ParameterType.FLAG, "", help);
    }

    Parameter as(String newField) {
        return new Parameter(name, newField, letter, place, type, value, help);
    }

    Parameter letter(char newLetter) {
        return new Parameter(name, field, newLetter, place, type, value, help);
    }

    public boolean isOption() {
        return place == Place.OPTION;
    }

    /** As it is named in the help and in messages. */
    public String shown() {
        return isOption() ? "--" + name : value;
    }

    public boolean hasLetter() {
        return letter != NO_LETTER;
    }
}
