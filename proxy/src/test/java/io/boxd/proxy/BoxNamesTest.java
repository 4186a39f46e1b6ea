package io.boxd.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("unit")
final class BoxNamesTest {
    private final BoxNames names = new BoxNames("boxd.example");

    @Test
    void aNameIsABox() {
        assertThat(names.find("app.boxd.example")).contains(new BoxNames.Goal("app", Optional.empty()));
        assertThat(names.find("app-3000.boxd.example")).contains(new BoxNames.Goal("app-3000", Optional.empty()));
    }

    @Test
    void aPortStandsBeforeIt() {
        assertThat(names.find("3000-app.boxd.example")).contains(new BoxNames.Goal("app", Optional.of(3000)));
        assertThat(names.find("65535-a-b.boxd.example")).contains(new BoxNames.Goal("a-b", Optional.of(65_535)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "boxd.example",
                ".boxd.example",
                "app.other.example",
                "appboxd.example",
                "a.b.boxd.example",
                "-app.boxd.example",
                "app_.boxd.example",
                "App.boxd.example",
                "3000.boxd.example",
                "3000-.boxd.example",
                "0-app.boxd.example",
                "080-app.boxd.example",
                "65536-app.boxd.example",
                "123456-app.boxd.example",
                "3000-4000-app.boxd.example",
                ""
            })
    void nothingElseIsOne(String host) {
        assertThat(names.find(host)).isEmpty();
    }
}
