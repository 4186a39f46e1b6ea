package io.boxd.vmm;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.Json;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

@Tag("unit")
class DiskNodesTest {
    private static final Layer IMAGE = new Layer("img", Path.of("/cache/disk.raw"), Layer.Format.RAW);
    private static final Layer FIRST = new Layer("one", Path.of("/home/layers/one.qcow2"), Layer.Format.QCOW2);
    private static final Layer SECOND = new Layer("two", Path.of("/home/layers/two.qcow2"), Layer.Format.QCOW2);
    private static final TopLayer TOP = new TopLayer("t", Path.of("/home/cells/c/disk/top-t.qcow2"));

    @Test
    void nestsTheChainUnderTheTop() {
        JsonNode chain = DiskNodes.chain(DiskNodes.nothing(), List.of(IMAGE, FIRST), layer -> "/image/" + layer.id());
        assertThat(DiskNodes.top(TOP, chain)).isEqualTo(Json.parse("""
                {"driver": "qcow2", "node-name": "top-t", "discard": "unmap",
                 "backing": {
                   "driver": "qcow2", "node-name": "layer-one", "read-only": true,
                   "file": {"driver": "file", "filename": "/image/one", "read-only": true, "locking": "off",
                            "drop-cache": false},
                   "backing": {
                     "driver": "raw", "node-name": "layer-img", "read-only": true,
                     "file": {"driver": "file", "filename": "/image/img", "read-only": true, "locking": "off",
                              "drop-cache": false}}},
                 "file": {"driver": "file", "node-name": "top-t-file", "filename": "/disk/top-t.qcow2",
                          "discard": "unmap", "locking": "on", "drop-cache": false}}"""));
    }

    /** Otherwise QEMU would follow the name in the file's header, which a guest may have written. */
    @Test
    void everyQcow2NodeSaysWhatIsBelowIt() {
        JsonNode lowest = DiskNodes.chain(DiskNodes.nothing(), List.of(FIRST), Layer::id);
        assertThat(lowest.has("backing")).isTrue();
        assertThat(lowest.path("backing").isNull()).isTrue();
        assertThat(DiskNodes.top(TOP, DiskNodes.nothing()).path("backing").isNull())
                .isTrue();
    }

    @Test
    void everythingBelowTheTopIsReadOnly() {
        JsonNode node = DiskNodes.chain(DiskNodes.nothing(), List.of(IMAGE, FIRST, SECOND), Layer::id);
        int depth = 0;
        for (; node.isObject(); node = node.path("backing"), depth++) {
            assertThat(node.path("read-only").asBoolean()).isTrue();
            assertThat(node.path("file").path("read-only").asBoolean()).isTrue();
        }
        assertThat(depth).isEqualTo(3);
    }

    @Test
    void continuesOnANodeThatIsKnown() {
        JsonNode chain = DiskNodes.chain(DiskNodes.known("layer-img"), List.of(FIRST, SECOND), Layer::id);
        assertThat(chain.path("node-name").asString()).isEqualTo("layer-two");
        assertThat(chain.path("backing").path("node-name").asString()).isEqualTo("layer-one");
        assertThat(chain.path("backing").path("backing").asString()).isEqualTo("layer-img");
    }

    /** Reopening must repeat every option, or QEMU resets it; only what is below differs. */
    @Test
    void retargetingChangesNothingButTheBacking() {
        JsonNode before = DiskNodes.top(TOP, DiskNodes.known("layer-img"));
        JsonNode after = DiskNodes.retargeted(TOP, "layer-two");
        assertThat(after).isEqualTo(Json.parse("""
                {"driver": "qcow2", "node-name": "top-t", "discard": "unmap", "backing": "layer-two",
                 "file": "top-t-file"}"""));
        assertThat(before.propertyNames()).containsExactlyInAnyOrderElementsOf(after.propertyNames());
    }

    @Test
    void noLayersMeansTheLowest() {
        assertThat(DiskNodes.chain(DiskNodes.known("x"), List.of(), Layer::id).asString())
                .isEqualTo("x");
    }
}
