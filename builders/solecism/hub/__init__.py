"""The hub: publishing versions of data sets, loading and comparing them."""
