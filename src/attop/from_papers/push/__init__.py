"""The p-norm push (Rudin 2005)."""
