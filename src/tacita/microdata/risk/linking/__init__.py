"""How records are linked: distances, agreements and searches, and what links come to."""
