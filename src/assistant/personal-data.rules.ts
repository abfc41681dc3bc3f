/**
 * What says who somebody is or how they are reached, by the names of its fields, and words that people typed, which may
 * say it too. Who may not see it gets ids, classes and amounts.
 */
const PERSONAL =
  /(?:^|_)(?:name|names|fullname|payer|parent|guardian|father|mother|student|child|phone|mobile|number|email|emails|contact|birth|address|vpa|upi_id|holder|to|recipients?|notes?|reason|why|by|actor|cashier|who|sent_to|title|raw|payload|response|subject|text|message|before|after|metadata)$/

/** Names and numbers of things. */
const OF_THINGS =
  /^(?:grade_name|component_name|fee_name|page_title|receipt_number|voucher_number|event_name|header_name|cheque_number|failure_message)$/

/** Days, and words of ours, where a field has the name of a person's: until when, and by what it is summed. */
const NOT_OF_PERSONS = /^(?:\d{4}-\d{2}-\d{2}|day|month)$/

const HIDDEN = '(hidden)'

export function hidePersons(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(hidePersons)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, hides(name, field) ? HIDDEN : hidePersons(field)]),
  )
}

function hides(name: string, field: unknown): boolean {
  const isSaid = field !== null && field !== '' && typeof field !== 'number' && typeof field !== 'boolean'
  if ((name === 'to' || name === 'by') && NOT_OF_PERSONS.test(String(field))) return false
  return isSaid && !isPart(field) && PERSONAL.test(name) && !OF_THINGS.test(name)
}

/** What holds fields of its own is looked into. */
function isPart(field: unknown): boolean {
  return typeof field === 'object'
}
