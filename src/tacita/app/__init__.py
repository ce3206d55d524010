"""The workbench: microdata, tables and queries in the browser, on the same plans as everywhere."""
