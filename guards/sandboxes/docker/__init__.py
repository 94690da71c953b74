"""The Docker sandbox: a container without network, rights or a writable root."""
