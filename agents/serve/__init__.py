"""A local model server: three wire protocols, offline policies that answer, faults on demand.

Errors::

    ServeError
    ├── BadFaults       the fault options or the fault file make no sense (usage error)
    └── RequestRefused  a request gets an error status in place of a reply
"""
