"""What each number of a report means, in a line."""

from typing import Final

TERMS: Final = (
    (
        "seeds",
        "runs of this arm; each seed is one independent repetition. A median of fewer of them says "
        "of how many",
    ),
    (
        "best val",
        "validation score of a run's best generation, the one with the best fitness (its score, "
        "unless ensembles rank); the median over seeds is shown. "
        "Of several agents in a run, that of the best one. It is picked as the best of many, so it "
        "flatters",
    ),
    (
        "95% interval",
        "where the true median may lie: percentile bootstrap over all resamples of the seeds. "
        "From few seeds it is their whole range; one seed has none, which is shown as a dash",
    ),
    (
        "holds",
        "how often such an interval really holds the true median, at least: 95% is out of reach "
        "below 6 seeds",
    ),
    ("test", "score of the best generation on the sealed test split, evaluated once per run"),
    (
        "set beforehand",
        "the one measure that a fleet's file names, on record in every run before it is played: "
        "who looks at many measures afterwards finds something by chance",
    ),
    (
        "area",
        "mean of the best validation score so far, over the generations that all agents of a run "
        "made, one after the other",
    ),
    (
        "imp@k",
        "by how much the best validation score is better than that of generation 0, the seed",
    ),
    ("scoring", "share of the evolved generations (all but 0) with a score above 0, as ranked"),
    ("valid", "share of the evolved generations that passed their gates and were evaluated"),
    ("self-mod", "share of the evolved generations that changed meta_agent.py, where known"),
    (
        "known of",
        "generations of which it is known whether they changed meta_agent.py: the share is of them",
    ),
    ("code", "size of the best generation's task_agent.py, median, in bytes"),
    (
        "first generation at or above (below, where lower scores are better)",
        "when the best score so far reached a threshold: median over all runs, where one that did "
        "not counts as later than any that did, and how many did; a dash where half did not",
    ),
    (
        "difference",
        "first arm minus second on the seeds that both have: the Hodges-Lehmann estimate (the "
        "median of all pairwise means of the differences)",
    ),
    (
        "p",
        "how often a coin that gives each difference its sign is as one-sided as this: Wilcoxon's "
        "signed-rank test, exact, two-sided",
    ),
    (
        "adjusted",
        "p corrected for the number of comparisons (Holm): looking often finds something by chance",
    ),
    (
        "ties",
        "seeds on which both arms have the same score: they are in no test; at limit, how many of "
        "them are at the best score that there can be; a dash where it is not known",
    ),
    (
        "smallest p",
        "what p would be if every seed that does not tie had one sign; if even that is above the "
        "level, these seeds cannot separate the arms",
    ),
    (
        "detectable",
        "the true difference that as many seeds as do not tie would find 4 times in 5, given how "
        "much these scatter; a dash where they can find none, not known where they do not scatter",
    ),
    (
        "rank-biserial",
        "effect size of the pairs: 1 if the first arm is always higher, -1 if the second is, 0 if "
        "they balance",
    ),
    (
        "Cliff's delta",
        "effect size over all seeds of both arms: the chance that the first is higher minus the "
        "chance that it is lower",
    ),
    (
        "unpaired p",
        "rank-sum test over all seeds of both arms; a second look that no verdict rests on",
    ),
    (
        "not separable",
        "the seeds could have shown a difference and did not; there may be one all the same",
    ),
    (
        "cannot be separated with this many seeds",
        "no outcome whatever could have shown a difference: run more seeds",
    ),
    (
        "cannot be separated with so many ties",
        "the seeds that differ are too few to show a difference, whichever way they go: run more "
        "seeds, or a harder task",
    ),
    (
        "not tested: every score is the same",
        "a measure by which all runs have one score is no evidence, for a difference or against",
    ),
    ("control", "an arm that is there to be compared with, not to win"),
    (
        "noise floor",
        "how far scores lie apart where nothing but chance differs (an A/A arm, or the same code "
        "evaluated again); smaller differences mean nothing",
    ),
)
