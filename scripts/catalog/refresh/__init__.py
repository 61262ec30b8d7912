"""Live list prices, read into the catalogue's own form.

Each cloud's reader gives `Offer`s and nothing else; `sanity` judges them against each other and the present table; `table` merges and
writes. A cloud's table is replaced whole or not at all.
"""
