package io.boxd.verbs;

/** What a verb is about; the order and the titles of the help. */
public enum Topic {
    BOXES("Boxes"),
    COMMANDS("Commands in a box"),
    SLEEP("Sleep and wake"),
    URLS("Ways in"),
    TIME("Snapshots and forks"),
    IMAGES("Images"),
    ACCOUNTS("Accounts"),
    HISTORY("What happened"),
    HOST("This machine"),
    CONTEXTS("Servers elsewhere");

    private final String title;

    Topic(String title) {
        this.title = title;
    }

    public String title() {
        return title;
    }
}
