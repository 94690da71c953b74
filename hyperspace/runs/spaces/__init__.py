"""Commands on mark spaces: opened by address, listed, counted, written out."""
