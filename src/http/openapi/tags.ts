/** The nouns of the API, in the order of the reference. */
export const TAGS = {
  'Pay orders': 'What a parent is to pay once, on a page that you send them to.',
  'Payment links': 'The same by a link that is sent to the parent, with an optional expiry.',
  Refunds:
    'Money that goes back to the parent, whole or in part, of whatever was paid, also by a dispute at the bank.',
  Settlements: 'What the bank paid out to a branch, payment by payment.',
  'Payment pages': 'Public pages on which anyone pays for an event, a trip or a form.',
  Students: 'The students of an academic year, and the users (parents) they belong to.',
  Fees: 'The fee components of a student and what is still due of them, late fees included.',
  'Direct payments': 'Fees that were paid elsewhere, such as cash at the counter.',
  'Academic years': 'Taking students over into the next year.',
  Catalogue: 'Branches, grades, fee components and discounts, by the codes that other calls use.',
  Imports: 'Students, fees, payments and links from a CSV or XLSX file.',
  'ERP fetch': 'Your fetch-student endpoint, which is asked whenever a family comes.',
  'Hosted entry': 'Sending a parent to our pages, signed in.',
  Flex: 'Plans of monthly instalments that are debited by a mandate.',
  Cred: 'Loans of a lender that pays the fees at once.',
  Webhooks: 'Subscriptions to events.',
  Deliveries: 'The events that happened, and how delivering them went.',
  Requests: 'What you asked, for finding out what went wrong.',
  Sandbox: 'What only a sandbox has: the clock, the bank, the lender and the mailbox.',
  Events: 'What we send to your webhooks.',
} as const

export type Tag = Exclude<keyof typeof TAGS, 'Events'>
