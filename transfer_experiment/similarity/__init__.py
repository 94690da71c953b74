"""How near two program texts are: difflib's ratios, exactly and fast."""
