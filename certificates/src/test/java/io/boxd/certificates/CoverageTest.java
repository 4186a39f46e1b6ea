package io.boxd.certificates;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Which names are certified together. */
@Tag("unit")
final class CoverageTest {
    @Test
    void withWildcardsFewCertificatesHoldAllNames() {
        Coverage own = Coverage.own("boxes.example");
        assertThat(own.of("boxes.example")).contains(List.of("boxes.example", "*.boxes.example"));
        assertThat(own.of("3000-task.boxes.example")).contains(List.of("boxes.example", "*.boxes.example"));
        assertThat(own.of("api.task.boxes.example")).contains(List.of("*.task.boxes.example"));
        assertThat(own.of("xboxes.example")).isEmpty();
        assertThat(own.of("app.customer.example")).isEmpty();
        assertThat(Coverage.acme("boxes.example", Proof.DNS).of("app.customer.example"))
                .contains(List.of("app.customer.example"));
    }

    @Test
    void withoutThemEachNameHasItsOwn() {
        Coverage http = Coverage.acme("boxes.example", Proof.HTTP);
        assertThat(http.of("boxes.example")).contains(List.of("boxes.example"));
        assertThat(http.of("task.boxes.example")).contains(List.of("task.boxes.example"));
        assertThat(http.of("api.task.boxes.example")).contains(List.of("api.task.boxes.example"));
        assertThat(Coverage.own("localhost").of("task.localhost")).contains(List.of("task.localhost"));
    }
}
