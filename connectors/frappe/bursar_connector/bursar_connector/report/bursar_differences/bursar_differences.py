"""What differs between Frappe and Bursar: outstanding fees, events that wait, transfers that are not booked."""

from bursar_connector import sync


def execute(filters=None):
    columns = [
        {"fieldname": "what", "label": "What", "fieldtype": "Data", "width": 180},
        {"fieldname": "about", "label": "About", "fieldtype": "Data", "width": 260},
        {"fieldname": "here", "label": "Here", "fieldtype": "Data", "width": 140},
        {"fieldname": "there", "label": "At Bursar", "fieldtype": "Data", "width": 140},
    ]
    return columns, sync.list_differences()
