/** Requests that are valid as they stand; a test changes what it is about. */
export const PAY = '/api/v1/integrations/pay'
export const ERP = '/api/v1/integrations/erp'

export function sampleOrder(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    name: 'Asha Rao',
    phone: '+91 98765 43210',
    email: 'asha@example.in',
    details: [{ component_type: 'TUITION_FEE', amount: 45000 }],
    ...changes,
  }
}

export function sampleStudent(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    fullname: 'Kabir Rao',
    identifier: 'ADM-1042',
    grade: '5',
    new_admission: false,
    academic_year_start: '2026',
    academic_year_end: '2027',
    date_of_birth: '2015-06-20',
    primary_contact_name: 'Asha Rao',
    primary_contact_number: '9876543210',
    primary_contact_email: 'asha@example.in',
    ...changes,
  }
}

export function sampleWebhook(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    event_code: 'pay.payment.debited',
    url: 'https://erp.example.in/hooks',
    failure_notification_email: 'it@school.example.in',
    ...changes,
  }
}
