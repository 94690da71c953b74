"""The meta agent: improves the code of this agent, itself included."""

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
            eval_path: Folder with the evaluations of earlier generations.
            iterations_left: Generations that are still to come, if known.

        Returns:
            The conversation with the model.
        """
        instruction = f"Modify any part of the code at `{repo_path}`. The evaluations of earlier"
        instruction += f" generations are in `{eval_path}`."
        if iterations_left is not None:
            instruction += f" After this one {iterations_left} iterations are left."
        return chat_with_agent(
            instruction,
            model=self.model,
            temperature=self.temperature,
            history=[],
            tools="all",
        )
