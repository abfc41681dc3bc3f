from frappe.model.document import Document


class BursarSettings(Document):
    pass
