from frappe.model.document import Document


class BursarBooking(Document):
    pass
