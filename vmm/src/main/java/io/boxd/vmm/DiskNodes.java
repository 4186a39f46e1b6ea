package io.boxd.vmm;

import io.boxd.common.Json;
import java.util.List;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** QEMU's description of a disk: a writable top over a chain of read-only layers. */
final class DiskNodes {
    private DiskNodes() {}

    /** No node: below the lowest layer. */
    static JsonNode nothing() {
        return JsonNodeFactory.instance.nullNode();
    }

    /** A node that QEMU knows already. */
    static JsonNode known(String nodeName) {
        return JsonNodeFactory.instance.stringNode(nodeName);
    }

    /** The chain as one nested description, lowest layer first in the list, on top of another node. */
    static JsonNode chain(JsonNode lowest, List<Layer> layers, Function<Layer, String> pathInJail) {
        JsonNode below = lowest;
        for (Layer layer : layers) {
            ObjectNode node = Json.object();
            node.put("driver", layer.format().driver());
            node.put("node-name", layer.nodeName());
            node.put("read-only", true);
            ObjectNode file = node.putObject("file");
            file.put("driver", "file");
            file.put("filename", pathInJail.apply(layer));
            file.put("read-only", true);
            // Nobody writes a layer, and a lock that any reader can take could keep all others out.
            file.put("locking", "off");
            keepCached(file);
            if (layer.format() == Layer.Format.QCOW2) {
                node.set("backing", below);
            }
            below = node;
        }
        return below;
    }

    /** The writable top; {@code backing} is a nested chain, the name of a node, or null. */
    static ObjectNode top(TopLayer top, JsonNode backing) {
        ObjectNode node = Json.object();
        node.put("driver", "qcow2");
        node.put("node-name", top.nodeName());
        // Both the node and its file must say so, or discards free nothing.
        node.put("discard", "unmap");
        node.set("backing", backing);
        ObjectNode file = node.putObject("file");
        file.put("driver", "file");
        file.put("node-name", top.nodeName() + "-file");
        file.put("filename", top.pathInJail());
        file.put("discard", "unmap");
        file.put("locking", "on");
        keepCached(file);
        return node;
    }

    /** Loading a state would otherwise throw the file out of the host's page cache. */
    private static void keepCached(ObjectNode file) {
        file.put("drop-cache", false);
    }

    /** The same top with another layer below it, for {@code blockdev-reopen}. */
    static ObjectNode retargeted(TopLayer top, String backingNode) {
        ObjectNode node = top(top, known(backingNode));
        node.put("file", top.nodeName() + "-file");
        return node;
    }
}
