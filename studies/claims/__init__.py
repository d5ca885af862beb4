"""How often a verdict, an interval or a list keeps what it promises; see README.md."""
