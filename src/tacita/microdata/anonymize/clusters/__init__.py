"""Clusters of records that share their keys: how they are formed, merged and released."""
