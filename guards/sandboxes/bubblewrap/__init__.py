"""The bubblewrap sandbox: namespaces, system call filter, control groups, warm templates."""
