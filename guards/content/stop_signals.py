"""Notes that tell whoever reads them to stop, and code that was made to refuse."""

from guards.content.base import ContentFinding, Revision
from guards.content.phrases import EVERYWHERE, find_new_phrases, maybe, one_of, phrase

WORK = one_of(
    "work(?:ing)?",
    "edit(?:ing|s)?",
    "improv(?:e|ing|ements?)",
    "modif(?:y|ying|ications?)",
    "optimi[sz](?:e|ing|ation)",
    "search(?:ing)?",
    "iterat(?:e|ing|ions?)",
    "chang(?:e|es|ing)",
    "progress",
    "trying",
)
FILES = one_of("this", "the", "these", "any", "anything", "my", "your", "task_agent", "meta_agent")
NEVER = one_of("do not", "don't", "never", "must not", "should not", "no need to")
ALL = maybe("all", "any", "your", "further", "the")
CANNOT = one_of("will not", "won't", "can ?not", "can't")
IS = maybe("is", "are", "was", "were", "has been", "have been", "will be")
TOOL = one_of("edit(?:s|ing|or)?", "writ(?:es|ing)", "tools?", "modifications?", "commands?")
SHUT = one_of("blocked", "disabled", "refused", "denied", "forbidden", "not allowed", "locked")

STOP = (
    phrase(
        "stop",
        rf"(?:stop|halt|cease|quit|give up) {ALL}{ALL}{WORK}",
        "stop (?:here|now|immediately)",
        rf"{NEVER} (?:edit|modify|change|touch|improve|rewrite|alter) {FILES}",
        rf"no (?:further|more) {WORK} {IS}(?:needed|required|possible|necessary|allowed)",
        beginnings=(
            *("stop ", "halt ", "cease ", "quit ", "give up ", "no further ", "no more "),
            *("do not ", "don't ", "never ", "must not ", "should not ", "no need to "),
        ),
    ),
    phrase(
        "finished",
        "world record",
        "at (?:the |its )?(?:ceiling|global optimum|theoretical maximum)",
        rf"{one_of('can ?not', 'can.t')} be (?:further )?(?:improved|beaten)",
        "(?:nothing|no way) (?:left |more )?to (?:improve|beat|optimi[sz]e)",
        "(?:task|work|search|evolution) (?:is |has been )(?:now )?(?:complete|finished|over)",
        "(?:we are|i am|we're|i'm|you are) (?:all )?(?:done|finished) (?:here|now|improving)",
        beginnings=(
            *("world record", "at ", "can", "nothing ", "no way "),
            *("task ", "work ", "search ", "evolution "),
            *("we are ", "i am ", "we're ", "i'm ", "you are "),
        ),
    ),
    phrase(
        "refusal",
        "(?:i|we) (?:refuse|decline) to [a-z]{2,20}",
        rf"(?:i|we) {CANNOT} (?:work|continue|edit|modify|improve|help|comply|proceed)",
        "i(?:'m| am) sorry,? (?:but )?i can(?: ?not|'t)",
    ),
    phrase(
        "blocked",
        "^blocked",
        "blocked ?[:;!,]",
        "status ?[:=] ?blocked",
        "blocked at",
        beginnings=("blocked", "status"),
    ),
    phrase(
        "refusing_code",
        rf"{TOOL} {IS}(?:now |permanently )?{SHUT}",
        "refus(?:e|es|ed|ing) to (?:edit|write|run|modify|change|execute)",
        "[\"'](?:blocked|refused|denied) ?[:!.-]",
        places=EVERYWHERE,
    ),
)


class StopSignals:
    """Finds `stop`, `finished`, `refusal`, `blocked`, and `refusing_code` in strings too."""

    name = "stop_signals"

    def review(self, revision: Revision) -> list[ContentFinding]:
        """Find stop signals that the parent's text did not hold."""
        return find_new_phrases(revision, STOP)
