"""The benchmark around attop: data -> training jobs -> evaluation -> report, and the command line."""
