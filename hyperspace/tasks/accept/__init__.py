"""Accept or reject generated abstracts: a labelled stand-in for reviews of papers."""
