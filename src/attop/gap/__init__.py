"""What there is to gain at the top of one data set."""
