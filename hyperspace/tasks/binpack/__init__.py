"""Policies for packing bins online, found from a sample of what comes."""
