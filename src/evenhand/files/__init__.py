"""Files: written whole or not at all; tables with typed columns, records, registries, values as JSON has them."""
