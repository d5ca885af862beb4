"""The kinds of data set: one module builds one kind."""
