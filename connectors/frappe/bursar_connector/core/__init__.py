"""The rules, without Frappe: what is told to Bursar, and what its events mean for the books."""
