"""Learning from mini-batches: SGD@k and Perceptron@k."""
