"""A look at a table before training, in five steps on one profile: see `attop_bench.data.profile.look`."""
