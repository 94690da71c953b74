"""Runs as the report needs them, whoever wrote them: ours, the published ones, tables of scores."""
