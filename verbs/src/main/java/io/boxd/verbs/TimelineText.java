package io.boxd.verbs;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The tree of snapshots and forks, oldest first, one node a line. */
final class TimelineText {
    /** Deeper nodes are drawn at this depth: a server's answer must not make us indent without end. */
    private static final int DEEPEST = 12;

    private static final int LEAST_COLUMNS = 20;

    private final Look look;

    TimelineText(Look look) {
        this.look = look;
    }

    String tree(Fields timeline) {
        List<Fields> nodes = timeline.list("nodes").stream()
                .sorted(Comparator.comparing(node -> node.text("created_at", "")))
                .toList();
        Set<String> ids = new HashSet<>();
        nodes.forEach(node -> ids.add(node.text("id", "")));
        Map<String, List<Fields>> children = new HashMap<>();
        List<Fields> roots = new ArrayList<>();
        for (Fields node : nodes) {
            String parent = node.text("parent");
            boolean isRoot = parent == null || !ids.contains(parent) || parent.equals(node.text("id"));
            (isRoot ? roots : children.computeIfAbsent(parent, any -> new ArrayList<>())).add(node);
        }
        Set<Fields> trunk = trunk(nodes);
        children.values().forEach(each -> each.sort(Comparator.comparing(trunk::contains)));
        StringBuilder text = new StringBuilder();
        Drawing drawing = new Drawing(children, trunk, text);
        roots.forEach(drawing::draw);
        return text.isEmpty() ? "Nothing happened yet.\n" : text.toString();
    }

    /** The box that was asked for and what led to it: drawn as the straight line, the rest as its branches. */
    private static Set<Fields> trunk(List<Fields> nodes) {
        Map<String, Fields> byId = new HashMap<>();
        nodes.forEach(node -> byId.put(node.text("id", ""), node));
        Set<Fields> trunk = new HashSet<>();
        @Nullable
        Fields at =
                nodes.stream().filter(node -> node.flag("current")).findFirst().orElse(null);
        while (at != null && trunk.add(at)) {
            at = byId.get(at.text("parent", ""));
        }
        return trunk;
    }

    /** One walk over the tree; a node that is its own ancestor is drawn once. */
    private final class Drawing {
        private final Map<String, List<Fields>> children;
        private final Set<Fields> trunk;
        private final StringBuilder text;
        private final Set<String> drawn = new HashSet<>();

        Drawing(Map<String, List<Fields>> children, Set<Fields> trunk, StringBuilder text) {
            this.children = children;
            this.trunk = trunk;
            this.text = text;
        }

        /**
         * The trunk and chains of single children go straight down, so that a long history does not walk out of the
         * screen: only branches are indented. The steps are kept on a stack of ours, however deep the tree is.
         */
        void draw(Fields root) {
            Deque<Step> steps = new ArrayDeque<>(List.of(new Step(root, "", "", 0)));
            while (!steps.isEmpty()) {
                Step step = steps.pop();
                String id = step.node().text("id", "");
                if (drawn.add(id)) {
                    text.append(look.faint(step.lead()));
                    text.append(line(step.node(), step.lead())).append('\n');
                    below(step, children.getOrDefault(id, List.of())).forEach(steps::push);
                }
            }
        }

        /** What comes below a node, the last to be drawn first. */
        private List<Step> below(Step step, List<Fields> next) {
            List<Step> steps = new ArrayList<>();
            for (Fields node : next.reversed()) {
                boolean last = steps.isEmpty();
                if (last && (next.size() == 1 || trunk.contains(node))) {
                    steps.add(new Step(node, step.under(), step.under(), step.depth()));
                } else {
                    String under = step.depth() < DEEPEST ? step.under() + (last ? "  " : "│ ") : step.under();
                    steps.add(new Step(node, step.under() + (last ? "└─" : "├─"), under, step.depth() + 1));
                }
            }
            return steps;
        }
    }

    /** A node that is to be drawn behind its lead, and what stands before everything under it. */
    private record Step(Fields node, String lead, String under, int depth) {}

    private String line(Fields node, String prefix) {
        boolean isBox = node.text("kind", "").equals("box");
        String mark = isBox ? (node.flag("current") ? "● " : "○ ") : "◆ ";
        String name = isBox ? node.text("name", node.text("id", "?")) : node.text("label", node.text("id", "?"));
        String when = Human.ago(node.time("created_at"), look.now());
        String what = isBox ? node.text("status", "") : SnapshotText.cause(node.text("cause", ""));
        String command = SnapshotText.command(node);
        int room = Math.max(LEAST_COLUMNS, look.columns() - Harmless.columns(prefix) - 2);
        String shownName = Harmless.cut(name, room / 2);
        String details = (what.isEmpty() ? "" : what + ", ") + when;
        boolean before = node.text("cause", "").equals("checkpoint");
        String rest = command == null ? details : details + (before ? ", before $ " : ": $ ") + command;
        String shownRest = Harmless.cut(rest, Math.max(1, room - Harmless.columns(shownName) - 2));
        String shown = node.flag("current") || !isBox ? look.strong(shownName) : shownName;
        return mark + shown + "  " + shownRest;
    }
}
