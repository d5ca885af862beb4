"""Factor models of users and items, learnt from pairs."""
