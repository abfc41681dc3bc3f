app_name = "bursar_connector"
app_title = "Bursar Connector"
app_publisher = "Bursar"
app_description = "Collects the fees of Frappe Education through Bursar"
app_email = "it@school.example.in"
app_license = "apache-2.0"
# required_apps would be looked up on GitHub where the bench does not know them; after_install checks instead.
after_install = "bursar_connector.sync.check_requirements"

doc_events = {
    "Student": {"on_update": "bursar_connector.sync.student_changed"},
    "Guardian": {"on_update": "bursar_connector.sync.guardian_changed"},
    "Fees": {
        "on_submit": "bursar_connector.sync.fees_changed",
        "on_cancel": "bursar_connector.sync.fees_changed",
    },
    "Payment Entry": {
        "on_submit": "bursar_connector.sync.payment_taken",
        "on_cancel": "bursar_connector.sync.payment_cancelled",
    },
}

scheduler_events = {
    "hourly_long": ["bursar_connector.sync.catch_up"],
    "daily_long": ["bursar_connector.sync.push_all"],
}
