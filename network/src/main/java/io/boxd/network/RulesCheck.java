package io.boxd.network;

import io.boxd.common.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;

/** Compares what the kernel says that it filters by with what it was told. */
final class RulesCheck {
    private RulesCheck() {}

    /**
     * What is missing, wrong or too much in nft's listing (in JSON); empty if all is as it should be.
     *
     * @param alone whether there may be no other tables
     */
    static List<String> problems(Ruleset expected, String listing, boolean alone) {
        Map<String, String> wanted = new TreeMap<>();
        expected.tables().forEach(table -> describe(table, wanted));
        Map<String, String> found = new TreeMap<>();
        List<String> ours = expected.tables().stream()
                .map(table -> table.family() + " " + table.name())
                .toList();
        for (JsonNode entry : Json.parse(listing).path("nftables")) {
            for (String kind : List.of("table", "chain", "rule")) {
                JsonNode node = entry.path(kind);
                if (node.isObject()) {
                    add(kind, node, ours, alone, found);
                }
            }
        }
        List<String> problems = new ArrayList<>();
        wanted.forEach((what, how) -> {
            String real = found.remove(what);
            if (!how.equals(real)) {
                problems.add(what + ": " + (real == null ? "missing" : "is " + real + " instead of " + how));
            }
        });
        found.keySet().forEach(what -> problems.add(what + ": unexpected"));
        return problems;
    }

    private static void describe(Ruleset.Table table, Map<String, String> into) {
        String name = table.family() + " " + table.name();
        into.put("table " + name, "");
        for (Ruleset.Chain chain : table.chains()) {
            String path = name + " " + chain.name();
            into.put(
                    "chain " + path,
                    chain.hook()
                            .map(hook -> hook.type() + " " + hook.hook() + " " + hook.priority() + " " + hook.policy())
                            .orElse(""));
            StringBuilder rules = new StringBuilder();
            chain.rules().forEach(rule -> rules.append(rule.comment()).append(' '));
            if (!rules.isEmpty()) {
                into.put("rules " + path, rules.toString());
            }
        }
    }

    private static void add(String kind, JsonNode node, List<String> ours, boolean alone, Map<String, String> into) {
        String table = node.path("family").asString("") + " "
                + node.path(kind.equals("table") ? "name" : "table").asString("");
        if (!alone && !ours.contains(table)) {
            return;
        }
        switch (kind) {
            case "table" -> into.put("table " + table, "");
            case "chain" -> into.put("chain " + table + " " + node.path("name").asString(""), hook(node));
            default ->
                into.merge(
                        "rules " + table + " " + node.path("chain").asString(""),
                        node.path("comment").asString("unnamed") + " ",
                        String::concat);
        }
    }

    private static String hook(JsonNode chain) {
        if (chain.path("hook").isMissingNode()) {
            return "";
        }
        return chain.path("type").asString("") + " " + chain.path("hook").asString("") + " "
                + chain.path("prio").asInt(0) + " " + chain.path("policy").asString("");
    }
}
