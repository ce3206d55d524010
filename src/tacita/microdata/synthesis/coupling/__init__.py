"""What a Gaussian copula is made of: margins of any kind, and the normal variables behind them."""
