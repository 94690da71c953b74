"""Content policies: what an agent writes into code, notes and strings, judged before it is a mark.

`pipeline.judge` is the way in. Each policy is one file; `base.CodePolicy` is their contract.
"""
