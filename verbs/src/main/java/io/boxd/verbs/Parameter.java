package io.boxd.verbs;

import static java.util.Locale.ROOT;

import java.util.List;
import java.util.stream.Stream;

/**
 * Something that is said with a verb.
 *
 * @param name of the option without dashes, or of the word as the help shows it
 * @param field its name in JSON, in a query and in a route
 * @param letter a short form of the option, or a blank
 * @param value how the help shows its value: in capitals what it stands for, in small letters what is said as it is
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

    /** Shown so; words in small letters, apart by {@code |}, are said as they are. */
    Parameter shownAs(String newValue) {
        return new Parameter(name, field, letter, place, type, newValue, help);
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

    /** What can be said word by word, as {@code off} of {@code TIME|off}. */
    public List<String> choices() {
        return alternatives().filter(Parameter::isLiteral).toList();
    }

    /** Whether nothing but its {@link #choices} can be said. */
    public boolean isClosed() {
        return alternatives().allMatch(Parameter::isLiteral);
    }

    private Stream<String> alternatives() {
        return Stream.of(value.split("\\|", -1));
    }

    private static boolean isLiteral(String alternative) {
        return !alternative.isEmpty() && alternative.chars().allMatch(each -> each >= 'a' && each <= 'z');
    }

    public boolean hasLetter() {
        return letter != NO_LETTER;
    }
}
