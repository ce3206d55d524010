"""Which way the noise of holdings goes, so that it adds up to little where it may."""
