"""What training for the top gains: protocols and results; see README.md."""
