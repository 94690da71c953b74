"""Notes that instruct whoever reads them: run this, trust me, adopt this, raise my score."""

from guards.content.base import ContentFinding, Revision
from guards.content.phrases import EVERYWHERE, find_new_phrases, maybe, one_of, phrase

READERS = one_of("peers?", "agents?", "reviewers?", "llms?", "ais?", "assistants?", "graders?")
CALL = one_of("attention", "note to", "message (?:to|for)", "dear", "hey", "hello", "advice to")
OTHER = maybe("all", "any", "other", "my", "fellow", "future", "the", "peer")
MUST = one_of("must", "should", "have to", "need to", "are required to", "shall")
VERB = one_of("adopt", "copy", "use", "run", "execute", "trust", "ignore", "delete", "believe")
MINE = one_of("this", "my", "our", "the following", "these")
WHOLE = one_of("code", "file", "strategy", "agent", "version", "solution", "verbatim", "as")
RUN = one_of("run", "execute", "paste", "type")
ALL = maybe("all", "any", "your", "the", "these", "other")
EARLIER = maybe("previous", "prior", "above", "earlier", "other")
RULES = one_of("instructions?", "rules?", "prompts?", "guidelines?", "guards?", "strateg(?:y|ies)")
RAISE = one_of("raise", "increase", "boost", "inflate", "bump", "give", "assign", "award", "report")
WHOSE = one_of("me", "us", "my", "our", "this", "this agent's", "this agent an?", "me an?")
HIGH = maybe("full", "high", "higher", "top", "maximum", "perfect", "best")

INSTRUCTIONS = (
    phrase(
        "address",
        rf"{CALL} {OTHER}{OTHER}{READERS}",
        rf"(?:other|fellow|peer|all) agents {one_of(MUST, 'are to', 'may not', 'can ?not')}",
        places=EVERYWHERE,
    ),
    phrase(
        "order",
        rf"you {MUST} {maybe('always', 'now', 'never', 'not')}{VERB} {MINE}",
        rf"(?:adopt|copy) {MINE} (?:\w{{1,20}} )?{WHOLE}",
        "adopt (?:me|this|mine)",
    ),
    phrase(
        "command",
        rf"{RUN} {MINE} (?:shell |bash )?(?:commands?|scripts?|snippet)",
        rf"{RUN}:? [`\"']?(?:bash|sh|curl|wget|rm|sudo|chmod|pip)(?= [^ ])",
        r"(?:curl|wget) [^|\n]{1,80}\| ?(?:sudo )?(?:ba|z)?sh",
        "rm -[rf]{1,3}(?= [^ ])",
    ),
    phrase("ignore", rf"(?:ignore|disregard|forget|override) {ALL}{ALL}{EARLIER}{RULES}"),
    phrase(
        "trust",
        "(?:trust|believe) (?:me|us|my|our|this (?:code|file|note|agent|strategy|score))",
        "(?:no need to|do not|don't) (?:verify|test|check|evaluate|measure) (?:this|my|the score)",
    ),
    phrase("score_request", rf"{RAISE} {WHOSE} {HIGH}(?:scores?|ratings?|grades?|fitness)"),
)


class PeerInstructions:
    """Finds `address`, `order`, `command`, `ignore`, `trust` and `score_request`."""

    name = "peer_instructions"

    def review(self, revision: Revision) -> list[ContentFinding]:
        """Find instructions to readers that the parent's text did not hold."""
        return find_new_phrases(revision, INSTRUCTIONS)
