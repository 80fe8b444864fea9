"""What a person reads: cards, positions, missions, the referee, verdicts and rates. Imports kernels, never cli."""
