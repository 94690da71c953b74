"""The loop: ideas of models, epoch after epoch, as marks of one space."""
