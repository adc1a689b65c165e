"""What is chosen: the representation, and the number of clusters."""
