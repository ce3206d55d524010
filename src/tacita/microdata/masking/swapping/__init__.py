"""What the ways of swapping share: who may be exchanged with whom, and the exchange itself."""
