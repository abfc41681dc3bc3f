from frappe.model.document import Document


class BursarEvent(Document):
    pass
