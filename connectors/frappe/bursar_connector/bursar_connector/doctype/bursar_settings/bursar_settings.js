frappe.ui.form.on('Bursar Settings', {
  refresh(form) {
    const call = (label, method, message) =>
      form.add_custom_button(label, () =>
        frappe
          .call({ method: `bursar_connector.api.${method}`, freeze: true, freeze_message: message })
          .then(({ message: lines }) =>
            frappe.msgprint({
              title: label,
              message: lines.map(line => frappe.utils.escape_html(line)).join('<br>'),
            }),
          ),
      )
    call('Check connection', 'check_connection', 'Asking Bursar')
    call('Subscribe webhooks', 'subscribe', 'Subscribing')
    call('Push all students', 'push_now', 'Starting')
    form.add_custom_button('What differs', () => frappe.set_route('query-report', 'Bursar Differences'))
  },
})
