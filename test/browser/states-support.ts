/** A page of the console by what it reads and what it says. */
export type View = {
  name: string
  path: string
  /** What it reads, below the console's API. */
  api: string
  /** What it says of waiting. */
  loading: string
  /** What it says when there is nothing: what will stand there, and what makes it so. */
  empty: readonly string[]
  /** What there is to do about it. */
  next?: string
}

export const I = '/i/demo-school'
const API = '/institutes/demo-school'

export const VIEWS: readonly View[] = [
  {
    name: 'home',
    path: I,
    api: `${API}/home`,
    loading: 'Loading…',
    empty: ['Nothing expected', 'No debit yet', 'None set up', 'Bursar asks no ERP'],
    next: 'Left to pay, all years',
  },
  {
    name: 'students',
    path: `${I}/students`,
    api: `${API}/students`,
    loading: 'Loading students…',
    empty: ['No students yet', 'Add a student, import your list'],
  },
  {
    name: 'orders',
    path: `${I}/orders`,
    api: `${API}/orders`,
    loading: 'Loading orders and links…',
    empty: ['No orders or links yet', 'Create a link to begin'],
    next: 'New link',
  },
  {
    name: 'payment pages',
    path: `${I}/orders/pages`,
    api: `${API}/payment-pages`,
    loading: 'Loading payment pages…',
    empty: ['No payment page yet', 'Anybody who fills it in can pay at once'],
    next: 'New page',
  },
  {
    name: 'links from files',
    path: `${I}/orders/files`,
    api: `${API}/link-batches`,
    loading: 'Loading files of links…',
    empty: ['No file yet', 'one row, one link'],
    next: 'Choose a file',
  },
  {
    name: 'the calendar of Flex',
    path: `${I}/flex`,
    api: `${API}/flex/calendar`,
    loading: 'Loading the month…',
    empty: ['No debits in this month', 'once families have set them up'],
  },
  {
    name: 'plans of Flex',
    path: `${I}/flex/plans`,
    api: `${API}/flex/plans`,
    loading: 'Loading plans…',
    empty: ['No plan yet', 'Your ERP creates one for a student'],
  },
  {
    name: 'calls to the ERP',
    path: `${I}/flex/erp`,
    api: `${API}/flex/erp/fetches`,
    loading: 'Loading calls to the erp…',
    empty: ['No calls to the ERP yet', 'Set the address under Developers'],
  },
  {
    name: 'payments',
    path: `${I}/money?view=payments`,
    api: `${API}/money/payments`,
    loading: 'Loading payments…',
    empty: ['No payment yet', 'Create a payment link to get the first'],
  },
  {
    name: 'settlements',
    path: `${I}/money?view=settlements`,
    api: `${API}/money/settlements`,
    loading: 'Loading settlements…',
    empty: ['No settlements yet', 'usually comes on the next working day'],
    next: 'See what is on its way',
  },
  {
    name: 'the ledger',
    path: `${I}/money?view=ledger`,
    api: `${API}/money/ledger/accounts`,
    loading: 'Loading…',
    empty: ['The books are empty', 'Every online payment, refund and settlement'],
  },
  {
    name: 'webhooks',
    path: `${I}/developers/webhooks`,
    api: `${API}/webhooks`,
    loading: 'Loading webhooks…',
    empty: ['No webhooks yet', 'Add one for each event that the ERP needs'],
    next: 'Add a webhook',
  },
  {
    name: 'events',
    path: `${I}/developers/events`,
    api: `${API}/events`,
    loading: 'Loading events…',
    empty: ['No events yet', 'Take a payment to see the first one'],
  },
  {
    name: 'requests',
    path: `${I}/developers/requests`,
    api: `${API}/requests`,
    loading: 'Loading requests…',
    empty: ['No requests within the last month', 'Requests made with one of your keys'],
  },
  {
    name: 'what was given up',
    path: '/operator/jobs',
    api: '/operator/dead-letters',
    loading: 'Loading given up…',
    empty: ['Nothing has failed', 'still failed after three days'],
  },
  {
    name: 'the health of the installation',
    path: '/operator/health',
    api: '/operator/health',
    loading: 'Loading…',
    empty: ['Requests answered', 'Nothing is late'],
  },
]

/** The page of one thing; there is none here, and it says so once the server answers. */
export const DETAILS: readonly View[] = (
  [
    ['a student', 'students/student_0', 'student'],
    ['an order', 'orders/order_0', 'order', 'orders/order_0', 'This pay order'],
    ['a payment page', 'orders/pages/page_0', 'payment page', 'payment-pages/page_0', 'This page'],
    ['a file of links', 'orders/files/batch_0', 'file', 'link-batches/batch_0', 'This file of links'],
    ['a plan', 'flex/plans/plan_0', 'plan'],
    ['a settlement', 'money/settlements/setl_0', 'settlement'],
  ] as const
).map(([name, path, kind, api = path, called = `This ${kind}`]) => ({
  name,
  path: `${I}/${path}`,
  api: `${API}/${api}`,
  loading: `Loading the ${kind}…`,
  empty: [`${called} was not found`],
}))
