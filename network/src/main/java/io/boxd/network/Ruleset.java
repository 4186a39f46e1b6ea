package io.boxd.network;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32;

/**
 * Rules for nftables, as data: they are written in one transaction and can be read back.
 *
 * <p>Each rule has a name, unique in its chain. Its comment in the kernel carries the name and a
 * checksum of its text, so that a listing tells whether exactly these rules are loaded.
 */
record Ruleset(List<Table> tables) {
    /** One table. */
    record Table(String family, String name, List<String> counters, List<Chain> chains) {}

    /** A chain; without a hook it is only jumped to. */
    record Chain(String name, Optional<Hook> hook, List<Rule> rules) {
        static Chain at(String name, Hook hook, Rule... rules) {
            return new Chain(name, Optional.of(hook), List.of(rules));
        }

        static Chain named(String name, Rule... rules) {
            return new Chain(name, Optional.empty(), List.of(rules));
        }
    }

    /** Where in the kernel a chain is called, and what becomes of packets that no rule decides about. */
    record Hook(String type, String hook, Optional<String> device, int priority, String policy) {
        static Hook of(String type, String hook, int priority, String policy) {
            return new Hook(type, hook, Optional.empty(), priority, policy);
        }

        String text() {
            return "type " + type + " hook " + hook
                    + device.map(name -> " device \"" + name + "\"").orElse("") + " priority " + priority
                    + "; policy " + policy + ";";
        }
    }

    /** One rule. */
    record Rule(String name, String text) {
        String comment() {
            CRC32 sum = new CRC32();
            sum.update(text.getBytes(StandardCharsets.UTF_8));
            return "boxd:" + name + ":" + HexFormat.of().toHexDigits((int) sum.getValue());
        }
    }

    /** The same without one rule, which only a test that shows its worth may want. */
    Ruleset without(String ruleName) {
        List<Table> changed = new ArrayList<>();
        boolean found = false;
        for (Table table : tables) {
            List<Chain> chains = new ArrayList<>();
            for (Chain chain : table.chains()) {
                List<Rule> rules = chain.rules().stream()
                        .filter(rule -> !rule.name().equals(ruleName))
                        .toList();
                found |= rules.size() < chain.rules().size();
                chains.add(new Chain(chain.name(), chain.hook(), rules));
            }
            changed.add(new Table(table.family(), table.name(), table.counters(), chains));
        }
        if (!found) {
            throw new IllegalArgumentException("no rule is called " + ruleName);
        }
        return new Ruleset(changed);
    }

    /** What nft is to do: replace whatever is in these tables by these rules, in one transaction. */
    String script() {
        StringBuilder text = new StringBuilder();
        for (Table table : tables) {
            String name = table.family() + " " + table.name();
            // Added first, since what is not there cannot be deleted.
            text.append("add table ").append(name).append('\n');
            text.append("delete table ").append(name).append('\n');
            text.append("table ").append(name).append(" {\n");
            table.counters()
                    .forEach(
                            counter -> text.append("  counter ").append(counter).append(" { }\n"));
            // Chains that are only jumped to must stand before those that jump.
            table.chains().stream().filter(chain -> chain.hook().isEmpty()).forEach(chain -> write(chain, text));
            table.chains().stream().filter(chain -> chain.hook().isPresent()).forEach(chain -> write(chain, text));
            text.append("}\n");
        }
        return text.toString();
    }

    private static void write(Chain chain, StringBuilder text) {
        text.append("  chain ").append(chain.name()).append(" {\n");
        chain.hook().ifPresent(hook -> text.append("    ").append(hook.text()).append('\n'));
        for (Rule rule : chain.rules()) {
            text.append("    ").append(rule.text());
            text.append(" comment \"").append(rule.comment()).append("\"\n");
        }
        text.append("  }\n");
    }
}
