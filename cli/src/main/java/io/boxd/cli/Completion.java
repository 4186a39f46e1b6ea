package io.boxd.cli;

import io.boxd.console.Proposals;
import java.util.stream.Collectors;

/**
 * Scripts by which shells ask this program what could come next, and the answers in the form that each shell reads: a
 * line for each word, and a colon alone where names of files are right, too. So the table is read here only.
 */
final class Completion {
    private static final String FILES = ":\n";

    /**
     * Bash takes words apart at = and :, which are put together again, since a blank tells where one begins; it then
     * replaces only what stands behind the last of those signs.
     */
    private static final String BASH = """
            # Put this into your ~/.bashrc: source <(boxd completion bash)
            _boxd() {
                local words=() word rest=${COMP_LINE:0:COMP_POINT} line breaks= current fixed i
                for ((i = 0; i <= COMP_CWORD; i++)); do
                    word=${COMP_WORDS[i]}
                    if [[ $i -eq 0 || $rest == [[:space:]]* || -z $rest ]]; then
                        words+=("$word")
                    else
                        words[${#words[@]} - 1]+=$word
                    fi
                    rest=${rest#"${rest%%[![:space:]]*}"}
                    rest=${rest#"$word"}
                done
                current=${words[${#words[@]} - 1]}
                [[ $COMP_WORDBREAKS == *:* ]] && breaks+=:
                [[ $COMP_WORDBREAKS == *=* ]] && breaks+==
                fixed=
                [[ -n $breaks ]] && fixed=${current%"${current##*[$breaks]}"}
                COMPREPLY=()
                while IFS= read -r line; do
                    if [[ $line == : ]]; then
                        compopt -o filenames
                        while IFS= read -r line; do
                            COMPREPLY+=("$line")
                        done < <(compgen -f -- "${current#"$fixed"}")
                    else
                        [[ $line == *: ]] && compopt -o nospace
                        COMPREPLY+=("${line#"$fixed"}")
                    fi
                done < <("${words[0]/#\\~/$HOME}" completion bash -- "${words[@]:1}" 2>/dev/null)
            }
            complete -F _boxd boxd
            """;

    private static final String ZSH = """
            #compdef boxd
            # Put this into your ~/.zshrc: source <(boxd completion zsh)
            _boxd() {
                local -a whole open
                local line files=
                for line in "${(@f)$("${(Q)words[1]/#\\~/$HOME}" completion zsh -- \\
                    "${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
                    case $line in
                    '') ;;
                    :) files=yes ;;
                    *'\\::'*) open+=("$line") ;;
                    *) whole+=("$line") ;;
                    esac
                done
                (( $#whole )) && _describe boxd whole
                (( $#open )) && _describe box open -S ''
                [[ -n $files ]] && _files
                (( $#whole + $#open )) || [[ -n $files ]]
            }
            if [[ $funcstack[1] == _boxd ]]; then
                _boxd "$@"
            else
                (( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i }
                compdef _boxd boxd
            fi
            """;

    private static final String FISH = """
            # Put this into your ~/.config/fish/config.fish: boxd completion fish | source
            function __boxd_complete
                set -l words (commandline -opc)
                set -l current (commandline -ct)
                set -l program $words[1]
                set -e words[1]
                for line in ($program completion fish -- $words "$current" 2>/dev/null)
                    if test "$line" = :
                        __fish_complete_path "$current"
                    else
                        echo $line
                    end
                end
            end
            complete -c boxd -f -a '(__boxd_complete)'
            """;

    private Completion() {}

    static String script(Shell shell) {
        return switch (shell) {
            case BASH -> BASH;
            case ZSH -> ZSH;
            case FISH -> FISH;
        };
    }

    /** What could come next. */
    static String lines(Shell shell, Proposals.Next next) {
        String lines = next.words().stream()
                .map(proposal -> line(shell, proposal) + "\n")
                .collect(Collectors.joining());
        return next.files() ? lines + FILES : lines;
    }

    private static String line(Shell shell, Proposals.Proposal proposal) {
        return switch (shell) {
            case BASH -> proposal.word();
            case ZSH -> proposal.word().replace(":", "\\:") + ":" + proposal.about();
            case FISH -> proposal.word() + "\t" + proposal.about();
        };
    }
}
