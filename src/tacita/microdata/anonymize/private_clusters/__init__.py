"""Differentially private values that stand for clusters of records, by kind of attribute.

Every kind gives its records a place in an order, which depends on each record alone, and a private
value for every cluster of neighbours in that order. Where one record changes, a cluster has one
record replaced at most.
"""
