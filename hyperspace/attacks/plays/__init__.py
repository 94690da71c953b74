"""The ways to carry out an attack, and how its verdict is found."""
