"""Accept or reject a software repository from five quality figures. Needs no data and no model."""
