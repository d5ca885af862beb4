"""The command `attop`."""
