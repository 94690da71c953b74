"""Runs as the report needs them: one form for ours, published ones, and tables of scores."""
