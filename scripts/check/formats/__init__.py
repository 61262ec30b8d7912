"""One report in the forms that people and tools read. Names and messages come from foreign programs: each form escapes them its own way."""
