"""The frozen runtime of an agent: reach the model, run the tool loop, use the tools.

Standard library only. Evolved code imports it as `agent`; it cannot change it.
"""
