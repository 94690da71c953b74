"""Names of the attributes that our spans carry.

`gen_ai.*` and `error.type` are OpenTelemetry's semantic conventions for generative AI; the SDK's
constants for them are marked as unstable and move, so they stand here, in one place.
"""

from typing import Final

OPERATION: Final = "gen_ai.operation.name"
AGENT: Final = "gen_ai.agent.name"
REQUEST_MODEL: Final = "gen_ai.request.model"
REQUEST_TEMPERATURE: Final = "gen_ai.request.temperature"
REQUEST_SEED: Final = "gen_ai.request.seed"
REQUEST_MAX_TOKENS: Final = "gen_ai.request.max_tokens"
RESPONSE_MODEL: Final = "gen_ai.response.model"
FINISH_REASONS: Final = "gen_ai.response.finish_reasons"
INPUT_TOKENS: Final = "gen_ai.usage.input_tokens"
OUTPUT_TOKENS: Final = "gen_ai.usage.output_tokens"
ERROR_TYPE: Final = "error.type"

RUN: Final = "hyperspace.run"
GENERATION: Final = "hyperspace.generation"
PURPOSE: Final = "hyperspace.purpose"
ITEM: Final = "hyperspace.item"
ORDINAL: Final = "hyperspace.ordinal"
CACHED: Final = "hyperspace.cached"
COST_USD: Final = "hyperspace.cost_usd"

CHAT: Final = "chat"
"""The operation of every call."""
