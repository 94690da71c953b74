"""What a person reads of experiments: arms compared, curves, archive trees; text, HTML, figures."""
