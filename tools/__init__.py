"""Programs that make the data files of Evenhand; none of them is installed."""
