"""The catalogue on the command line: tables, one machine in full, and live prices read into the catalogue's own form."""
