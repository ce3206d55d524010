"""Jobs of tau-ARGUS (`.arb` files), run without tau-ARGUS."""
