package io.boxd.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("unit")
class PagingTest {
    private static final Pattern NEXT = Pattern.compile("<(/v1/[^>]+)>; rel=\"next\"");

    private final TestingDoor door = new TestingDoor();

    @AfterEach
    void close() {
        door.close();
    }

    /** The names on a page; whoever walks does something between the pages. */
    private List<String> walk(String path, Runnable between) throws IOException {
        List<String> names = new ArrayList<>();
        String next = path;
        while (!next.isEmpty()) {
            TestingDoor.Answer page = door.get(next);
            assertThat(page.status()).isEqualTo(200);
            assertThat(page.json().isArray()).isTrue();
            page.json().forEach(box -> names.add(box.path("name").asString()));
            Matcher link = NEXT.matcher(page.header("Link"));
            next = link.matches() ? link.group(1) : "";
            between.run();
        }
        return names;
    }

    @Test
    void pagesTogetherAreTheWholeListAndEachSaysWhereTheNextIs() throws IOException {
        for (int i = 0; i < 7; i++) {
            door.house().boxes().add("box-" + i);
        }
        List<String> whole = walk("/v1/boxes", () -> {});
        assertThat(whole).hasSize(7);
        assertThat(walk("/v1/boxes?limit=3", () -> {})).containsExactlyInAnyOrderElementsOf(whole);
        assertThat(walk("/v1/boxes?limit=7", () -> {})).hasSize(7);
        assertThat(door.get("/v1/boxes?limit=7").header("Link")).isEmpty();
        assertThat(door.get("/v1/boxes?limit=3").json()).hasSize(3);
        assertThat(door.get("/v1/boxes?all=true&limit=3").header("Link")).contains("all=true&limit=3&after=");
    }

    @Test
    void whatGoesMeanwhileMakesNobodyMissWhatStays() throws IOException {
        for (int i = 0; i < 6; i++) {
            door.house().boxes().add("box-" + i);
        }
        List<String> gone = new ArrayList<>();
        List<String> seen = walk("/v1/boxes?limit=2", () -> {
            if (gone.isEmpty()) {
                gone.add("box-1"); // the last of the first page, behind which the second begins
                door.house().boxes().destroy(gone, false, io.boxd.common.Deadline.inSeconds(1));
            }
        });
        assertThat(seen).contains("box-0", "box-2", "box-3", "box-4", "box-5").doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "limit=0",
                "limit=1001",
                "limit=-1",
                "limit=x",
                "limit=",
                "limit=1&limit=2",
                "after=",
                "after=%21",
                "after=bm9zcGFjZQ",
                "after=eCB5",
                "offset=1"
            })
    void nonsenseIsRefused(String query) throws IOException {
        assertThat(door.get("/v1/boxes?" + query).status()).isEqualTo(400);
        assertThat(door.get("/v1/snapshots?" + query).status()).isEqualTo(400);
    }

    @Test
    void whatHasNoPagesTakesNoLimit() throws IOException {
        assertThat(door.get("/v1/images?limit=1").status()).isEqualTo(400);
        assertThat(door.get("/v1/top?limit=1").status()).isEqualTo(400);
    }
}
