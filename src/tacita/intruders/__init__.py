"""Intruders and disclosure scenarios: what sources hold, and every risk as intruders achieve it.

An `Intruder` says which attributes an external source holds, how exactly and of how many; a
`Scenario` says so in plain words over concepts, for anybody's data. `measuring` measures by it.
"""
