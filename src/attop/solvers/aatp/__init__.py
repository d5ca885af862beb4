"""AATP: quadratic programs about threshold items, and the search among them."""
