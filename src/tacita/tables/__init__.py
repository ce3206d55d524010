"""Tables of counts and magnitudes: what they are made of, what they tell, how to protect them."""
