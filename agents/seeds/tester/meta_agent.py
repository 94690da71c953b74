"""The meta agent of a tester: makes up cases that the solvers of a task get wrong."""

from typing import Any

from agent.agentic_loop import chat_with_agent

STRATEGY = "Change one thing of an item that some solvers get wrong and some get right."


class MetaAgent:
    """Writes cases with a model that has tools.

    Attributes:
        model: Name of the model to ask.
        temperature: Sampling temperature.
    """

    def __init__(self, model: str, temperature: float | None = 0.0) -> None:
        self.model = model
        self.temperature = temperature

    def forward(
        self, repo_path: str, eval_path: str, iterations_left: int | None = None
    ) -> list[dict[str, Any]]:
        """Make up cases once.

        Args:
            repo_path: Folder in which `cases.jsonl` lies.
            eval_path: Folder with what is asked, and what came of earlier cases.
            iterations_left: Rounds that are still to come, if known.

        Returns:
            The conversation with the model.
        """
        with open(f"{eval_path}/problem_statement.md", encoding="utf-8") as file:
            problem = file.read()
        instruction = f"{problem}\nStrategy: {STRATEGY}\nThe code at `{repo_path}` is yours."
        return chat_with_agent(
            instruction,
            model=self.model,
            temperature=self.temperature,
            history=[],
            tools="all",
        )
