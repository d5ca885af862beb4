"""Perceptron@k and SGD@k (Kar, Narasimhan, Jain 2015), and 1PMB."""
