"""The analyses of the four papers, from result files of any model (needs the extra `analysis`)."""
