"""Relations of agreement: which words of a tree agree, and the filters of ``strict``."""
