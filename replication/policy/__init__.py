"""Policy evolution: a record of task policy and meta policy evolves without any model.

The smallest hyperagent of the published systems, under the three published conditions:
`python -m replication.policy --iterations 30 --seeds 5`.
"""
