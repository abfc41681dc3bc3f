"""
What connectors of ERPs have in common, without any ERP: what is told of a student, what events mean for the books, how both
sides are kept in step, and where they differ.
"""
