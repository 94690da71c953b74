"""A local model server: the wires of providers, offline policies that answer, faults on demand.

Errors::

    ServeError
    ├── BadFaults       the fault options or the fault file make no sense (usage error)
    └── RequestRefused  a request gets an error status in place of a reply
"""
