"""The meta agent: solves the problem that a fixed diagnosis has stated, by changing code."""

from typing import Any

from agent.agentic_loop import chat_with_agent


class MetaAgent:
    """Modifies code with a model that has tools.

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
        """Modify the code once.

        Args:
            repo_path: Folder of the code.
            eval_path: Folder with the problem statement and the evaluations of the parent.
            iterations_left: Generations that are still to come, if known.

        Returns:
            The conversation with the model.
        """
        with open(f"{eval_path}/problem_statement.md", encoding="utf-8") as file:
            problem = file.read()
        instruction = f"{problem}\nModify the code at `{repo_path}` so that it solves this problem."
        return chat_with_agent(
            instruction,
            model=self.model,
            temperature=self.temperature,
            history=[],
            tools="all",
        )
